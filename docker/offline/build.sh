#!/usr/bin/env bash
# Makes stand-ins for official images from distribution packages, where no registry answers: the same names, the same
# variables and paths. See usage().
set -CeEuo pipefail

DIRECTORY=$(cd -P -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
readonly DIRECTORY
readonly SCRIPTS=${DIRECTORY}/../../scripts
# shellcheck source=../../scripts/lib.sh
source "${SCRIPTS}/lib.sh"
# shellcheck source=../../scripts/go.sh
source "${SCRIPTS}/go.sh"
# shellcheck source=../../scripts/packages.sh
source "${SCRIPTS}/packages.sh"

# What docker/compose.yaml starts.
readonly DEFAULT=(php:8.4-fpm nginx:1.26 redis:7 mysql:8.4)
readonly KNOWN='php:7.4-fpm, php:8.2-fpm, php:8.4-fpm, nginx:TAG, redis:TAG, mysql:TAG, debian:bullseye-slim, '\
'debian:bookworm-slim, debian:trixie-slim, ghcr.io/shopify/toxiproxy:VERSION, grafana/k6:VERSION'

usage() {
  cat <<EOF
Usage: docker/offline/build.sh [--pull] [IMAGE...]

  IMAGE   what is to be there afterwards, by default: ${DEFAULT[*]}
          Known: ${KNOWN}
  --pull  where a registry answers, take the official image

Images that are there already are left alone. Stand-ins carry the label perf-gate.stand-in and may hold another version
than their name says (mysql:8.4 holds MySQL 9): docker image rm IMAGE makes room for the official one.
Needs a Docker engine (scripts/engine.sh start), Debian, root. Exit status: 0 all there, 2 wrong usage, 4 cannot be made.
EOF
}

# Prints the target of docker-bake.hcl that stands in for an image, "base", "toxiproxy" or "k6" for what has none.
target_of() {
  case "$1" in
    php:7.4-* | php:8.2-* | php:8.4-*) printf '%s\n' "$1" | sed -E 's/^php:([0-9]+)\.([0-9]+)-.*/php-\1-\2/' ;;
    nginx:* | redis:* | mysql:*) printf '%s\n' "${1%%:*}" ;;
    debian:bullseye-slim | debian:bookworm-slim | debian:trixie-slim) printf 'base\n' ;;
    ghcr.io/shopify/toxiproxy:[0-9]*.[0-9]*.[0-9]*) printf 'toxiproxy\n' ;;
    grafana/k6:[0-9]*.[0-9]*.[0-9]*) printf 'k6\n' ;;
    *) bail_choice image "$1" "${KNOWN}" ;;
  esac
}

# Prints the Debian release below an image; nothing where there is none.
suite_of() {
  local suite
  case "$1" in
    php:7.4-*) printf 'bullseye\n' ;;
    php:8.2-*) printf 'bookworm\n' ;;
    debian:*)
      suite=${1#debian:}
      printf '%s\n' "${suite%-slim}"
      ;;
    ghcr.io/*) ;;
    *) printf 'trixie\n' ;;
  esac
}

exists() {
  docker image inspect -- "$1" >/dev/null 2>&1
}

# make_base SUITE: debian:SUITE-slim from the archive that this machine gets its packages from. It keeps the package
# lists, so that what is built on it need not fetch them again.
make_base() {
  local suite=$1 archive
  archive=$(mktemp)
  # shellcheck disable=SC2064 # now, not then
  trap "rm -f -- '${archive}'" EXIT
  # shellcheck disable=SC2016 # for the shell of mmdebstrap
  quietly mmdebstrap --mode=root --variant=apt --include=passwd --format=tar --skip=cleanup/apt/lists \
    --aptopt='Acquire::Languages "none"' --aptopt='Acquire::Check-Valid-Until "false"' \
    --dpkgopt=force-unsafe-io --dpkgopt='path-exclude=/usr/share/man/*' --dpkgopt='path-exclude=/usr/share/locale/*' \
    --dpkgopt='path-exclude=/usr/share/doc/*' --dpkgopt='path-include=/usr/share/doc/*/copyright' \
    --customize-hook='echo "debconf debconf/frontend select Noninteractive" | chroot "$1" debconf-set-selections' \
    "${suite}" "${archive}" "${MIRROR}"
  quietly docker import --change 'CMD ["bash"]' --change 'LABEL perf-gate.stand-in=1' "${archive}" "debian:${suite}-slim"
}

# make_bases SUITE...: at the same time; most of it is unpacking on one core.
make_bases() {
  local suite pid
  local -a pids=()
  for suite in "$@"; do
    (make_base "${suite}") &
    pids+=("$!")
  done
  for pid in "${pids[@]}"; do
    wait "${pid}" || bail "${EXIT_UNABLE}" "no base image could be made of: $*, see above"
  done
}

# make_toxiproxy IMAGE: from its Go module.
make_toxiproxy() (
  local image=$1 directory
  group "Stand-in: ${image}"
  has go || without_services apt_install golang-go || bail "${EXIT_UNABLE}" 'apt could not install golang-go'
  directory=$(mktemp -d)
  # shellcheck disable=SC2064 # now, not then
  trap "rm -rf -- '${directory}'" EXIT
  go_install "${directory}" "github.com/Shopify/toxiproxy/v2/cmd/server@v${image##*:}" ||
    bail "${EXIT_UNABLE}" "${image} could not be built, see above"
  quietly docker buildx build --tag "${image}" --file "${DIRECTORY}/toxiproxy/Dockerfile" "${directory}/bin"
  group_end
)

# make_k6 IMAGE: from the k6 that scripts/setup.sh keeps, which is of one version.
make_k6() (
  local image=$1 k6 directory
  group "Stand-in: ${image}"
  k6=$("${SCRIPTS}/setup.sh" --print-k6) || bail "${EXIT_UNABLE}" "${image} is made from the k6 of this machine, see above"
  [[ $("${k6}" version || true) == "k6 v${image##*:} "* ]] ||
    bail "${EXIT_UNABLE}" "${image} is made from the k6 of this machine, which is: $("${k6}" version || true)"
  directory=$(mktemp -d)
  # shellcheck disable=SC2064 # now, not then
  trap "rm -rf -- '${directory}'" EXIT
  cp -- "${k6}" "${directory}/k6"
  quietly docker buildx build --tag "${image}" --file "${DIRECTORY}/k6/Dockerfile" "${directory}"
  group_end
)

# Bails out where images cannot be made.
check_possible() {
  if ((EUID != 0)); then
    bail "${EXIT_UNABLE}" "no registry has been asked or has answered, and making stand-ins needs root: docker pull $*, \
or run as root: docker/offline/build.sh $*"
  fi
  has apt-get || bail "${EXIT_UNABLE}" "stand-ins are made from Debian packages, and this machine has no apt-get: docker pull $*"
  lists_are_fresh || retry 3 apt_get update
  MIRROR=$(debian_mirror) || bail "${EXIT_UNABLE}" "stand-ins are made from Debian packages, and this machine's apt sources name no Debian archive: docker pull $*"
  has mmdebstrap || without_services apt_install mmdebstrap || bail "${EXIT_UNABLE}" 'apt could not install mmdebstrap'
}

# make IMAGE...
make() {
  local image suite target
  local -A targets=() suites=()
  for image in "$@"; do
    targets[$(target_of "${image}")]=1
    suite=$(suite_of "${image}")
    [[ -z ${suite} ]] || exists "debian:${suite}-slim" || suites[${suite}]=1
  done
  if ((${#suites[@]} > 0)); then
    group "Base images: ${!suites[*]}"
    make_bases "${!suites[@]}"
    group_end
  fi
  unset 'targets[base]' 'targets[toxiproxy]' 'targets[k6]'
  if ((${#targets[@]} > 0)); then
    group "Stand-ins: $*"
    (cd -- "${DIRECTORY}" && quietly docker buildx bake --progress plain --file docker-bake.hcl "${!targets[@]}") ||
      bail "${EXIT_UNABLE}" 'the build failed, see above'
    group_end
  fi
  for image in "$@"; do
    target=$(target_of "${image}")
    case "${target}" in
      base) ;;
      k6) make_k6 "${image}" ;;
      toxiproxy) make_toxiproxy "${image}" ;;
      *) docker tag "perf-gate/stand-in:${target}" "${image}" ;;
    esac
  done
}

main() {
  local pull='' image
  local -a images=() absent=()
  while (($# > 0)); do
    case "$1" in
      --pull) pull=1 ;;
      --help | -h)
        usage
        return
        ;;
      -*) bail_choice argument "$1" '--pull, --help, images' ;;
      *)
        target_of "$1" >/dev/null
        images+=("$1")
        ;;
    esac
    shift
  done
  ((${#images[@]} > 0)) || images=("${DEFAULT[@]}")
  docker info >/dev/null 2>&1 || bail "${EXIT_UNABLE}" 'no Docker engine answers: scripts/engine.sh start'
  for image in "${images[@]}"; do
    exists "${image}" || { [[ -n ${pull} ]] && pull "${image}"; } || absent+=("${image}")
  done
  if ((${#absent[@]} > 0)); then
    check_possible "${absent[@]}"
    make "${absent[@]}"
  fi
}

# pull IMAGE: status 1 where no registry gives it.
pull() {
  timeout 300 docker pull --quiet -- "$1" >/dev/null 2>&1
}

if [[ ${BASH_SOURCE[0]} == "$0" ]]; then
  main "$@"
fi
