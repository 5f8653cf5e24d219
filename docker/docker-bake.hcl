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

# A cache of the PHP runtime, the part that takes long: type=local,src=DIR; type=registry,ref=IMAGE; type=gha.
variable "CACHE_FROM" {
  default = ""
}

# type=local,dest=DIR,mode=max; type=registry,ref=IMAGE,mode=max; type=gha,mode=max. Needs a builder that can export:
# docker buildx create --use.
variable "CACHE_TO" {
  default = ""
}

group "default" {
  targets = CACHE_TO == "" ? ["base", "head"] : ["base", "head", "cache"]
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
  cache-from = CACHE_FROM == "" ? [] : [CACHE_FROM]
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

target "cache" {
  inherits = ["_all"]
  context  = BASE_CONTEXT
  target   = "runtime"
  args     = { PHP = PHP }
  cache-to = [CACHE_TO]
  output   = ["type=cacheonly"]
}
