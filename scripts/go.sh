# shellcheck shell=bash
# Programs built from Go modules, verified by Go's checksum database. Source it after lib.sh.

# The Go release that the go.mod files of what is built ask for.
readonly GO_RELEASE=1.25.12

# Prints the Go command to build with. Go >= 1.21 fetches the release it needs by itself; an older one (Debian 12,
# Ubuntu 22.04) is made to: a Go release is a module too, verified like any other, but lands without execute bits
# and with its go.mod files renamed, which newer versions put right.
go_command() {
  local version module root part
  version=$(go env GOVERSION)
  if [[ ${version} =~ ^go1\.([0-9]+) ]] && ((BASH_REMATCH[1] >= 21)); then
    type -P go
    return
  fi
  module="golang.org/toolchain@v0.0.1-go${GO_RELEASE}.linux-$(go env GOARCH)"
  retry 3 quietly go mod download "${module}" || return
  root=$(go env GOMODCACHE)/${module}
  chmod -R u+x -- "${root}/bin" "${root}/pkg/tool"
  for part in src src/cmd; do
    cp -- "${root}/${part}/_go.mod" "${root}/${part}/go.mod"
  done
  printf '%s\n' "${root}/bin/go"
}

# go_install DIRECTORY PACKAGE@VERSION...: leaves static programs in its bin. Everything Go needs stays inside, or in
# PERF_GATE_GO_CACHE, which several builds can share.
go_install() (
  local directory=$1 cache=${PERF_GATE_GO_CACHE:-$1} go
  shift
  cd -- "${directory}" || return
  export GOPATH=${cache}/path GOCACHE=${cache}/cache GOBIN=${directory}/bin
  export GOFLAGS=-modcacherw GOTOOLCHAIN=auto GO111MODULE=on GOWORK=off CGO_ENABLED=0
  unset GOROOT
  if [[ $(go env GOSUMDB) == off ]]; then
    # shellcheck disable=SC2154 # in lib.sh
    bail "${EXIT_UNABLE}" "GOSUMDB is off, so that $* could not be verified; unset it (go env -u GOSUMDB) and repeat"
  fi
  go=$(go_command) || return
  retry 3 quietly "${go}" install -trimpath "$@"
)
