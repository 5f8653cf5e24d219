# The bundled target's images, for both arms in one build:
#
#   docker buildx bake -f docker/docker-bake.hcl                          both arms
#   docker buildx bake -f docker/docker-bake.hcl base                     one of them
#   PHP=8.2 docker buildx bake -f docker/docker-bake.hcl                  another PHP
#   docker buildx bake -f docker/docker-bake.hcl runtime                  PHP 7.4, 8.2 and 8.4 with their extensions

# Where perf-gate is, absolute; needed where a tree is not fixtures/app.
variable "PERF_GATE_HOME" {
  default = "../.."
}

# Trees of the application.
variable "BASE_CONTEXT" {
  default = "fixtures/app"
}

variable "HEAD_CONTEXT" {
  default = "fixtures/app"
}

variable "PHP" {
  default = "8.4"
}

# Value of the label perf-gate.
variable "ID" {
  default = "bundled"
}

# A cache of the layers; {target} stands for a target's name. The same places as of target.build-cache in perf-gate.yml:
#   DIR         type=local,src=DIR/{target}
#   REPOSITORY  type=registry,ref=REPOSITORY:{target}
#   gha         type=gha,scope=perf-gate-{target}
variable "CACHE_FROM" {
  default = ""
}

# The same, dest in place of src, with ,mode=max,ignore-error=true. Needs a builder that can export a cache:
# docker buildx create --use.
variable "CACHE_TO" {
  default = ""
}

group "default" {
  targets = ["base", "head"]
}

group "base" {
  targets = ["base-app", "base-web"]
}

group "head" {
  targets = ["head-app", "head-web"]
}

target "_all" {
  dockerfile = "${PERF_GATE_HOME}/docker/php/Dockerfile"
  labels     = { perf-gate = ID }
}

target "arm" {
  name     = "${arm}-${service}"
  matrix   = { arm = ["base", "head"], service = ["app", "web"] }
  inherits = ["_all"]
  context  = arm == "base" ? BASE_CONTEXT : HEAD_CONTEXT
  target   = service
  args     = { PHP = PHP }
  tags     = ["perf-gate/${arm}-${service}"]
  output   = ["type=docker"]
  # Either arm may have built what both need.
  cache-from = CACHE_FROM == "" ? [] : [
    replace(CACHE_FROM, "{target}", "${arm}-${service}"),
    replace(CACHE_FROM, "{target}", "${arm == "base" ? "head" : "base"}-${service}"),
  ]
  cache-to = CACHE_TO == "" ? [] : [replace(CACHE_TO, "{target}", "${arm}-${service}")]
}

target "runtime" {
  name     = "runtime-${replace(php, ".", "-")}"
  matrix   = { php = ["7.4", "8.2", "8.4"] }
  inherits = ["_all"]
  context  = BASE_CONTEXT
  target   = "runtime"
  args     = { PHP = php }
  tags     = ["perf-gate/runtime:${php}"]
  output   = ["type=docker"]
}
