# Stand-ins on top of debian:SUITE-slim, which build.sh makes. MySQL needs a release whose libraries the development
# branch can take the place of; any PHP comes from the release that has it.
target "_stand-in" {
  args   = { SUITE = "trixie" }
  labels = { "perf-gate.stand-in" = "1" }
  output = ["type=docker"]
}

target "php" {
  name     = "php-${replace(release.php, ".", "-")}"
  matrix   = {
    release = [
      { php = "7.4", suite = "bullseye" },
      { php = "8.2", suite = "bookworm" },
      { php = "8.4", suite = "trixie" },
    ]
  }
  inherits = ["_stand-in"]
  context  = "php"
  args     = { PHP = release.php, SUITE = release.suite }
  tags     = ["perf-gate/stand-in:php-${replace(release.php, ".", "-")}"]
}

target "service" {
  name     = service
  matrix   = { service = ["mysql", "nginx", "redis"] }
  inherits = ["_stand-in"]
  context  = service
  tags     = ["perf-gate/stand-in:${service}"]
}
