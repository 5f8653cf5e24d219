# shellcheck shell=bash
# What all shell scripts here share. Source it after `set -CeEuo pipefail`.

# System tools live in sbin, which an ordinary user's PATH leaves out on Debian.
PATH=${PATH}:/usr/local/sbin:/usr/sbin:/sbin

# Exit statuses of the program that scripts use too.
readonly EXIT_USAGE=2
# shellcheck disable=SC2034 # for those who source this
readonly EXIT_UNABLE=4

# What is downloaded or built once and used again.
CACHE=${PERF_GATE_CACHE:-${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/perf-gate}
# shellcheck disable=SC2034
readonly CACHE

# Escapes text for GitHub's log commands, where a line break would start a new one.
escape_log_command() {
  local text=$*
  text=${text//'%'/'%25'}
  text=${text//$'\r'/'%0D'}
  text=${text//$'\n'/'%0A'}
  printf '%s' "${text}"
}

# say LEVEL TEXT: one line on standard error; an annotation as well where GitHub reads the log.
say() {
  local level=$1
  shift
  if [[ -n ${GITHUB_ACTIONS:-} ]]; then
    printf '::%s::%s\n' "${level}" "$(escape_log_command "$*" || true)" >&2
  else
    printf '%s: %s\n' "${level}" "$*" >&2
  fi
}

info() {
  printf '%s\n' "$*" >&2
}

warn() {
  say warning "$*"
}

# bail STATUS TEXT: the text names the cause and the fix.
bail() {
  local status=$1
  shift
  say error "$*"
  exit "${status}"
}

# Folded in GitHub's log, a heading elsewhere.
group() {
  if [[ -n ${GITHUB_ACTIONS:-} ]]; then
    printf '::group::%s\n' "$(escape_log_command "$*" || true)" >&2
  else
    printf -- '--- %s\n' "$*" >&2
  fi
}

group_end() {
  if [[ -n ${GITHUB_ACTIONS:-} ]]; then
    printf '::endgroup::\n' >&2
  fi
}

has() {
  [[ -n $(type -P -- "$1" || true) ]]
}

# retry TIMES COMMAND...: waits 1, 2, 4 s ... between attempts; the status is that of the last.
retry() {
  local times=$1 attempt status=0
  shift
  for ((attempt = 1; attempt <= times; attempt++)); do
    status=0
    "$@" || status=$?
    if ((status == 0 || attempt == times)); then
      break
    fi
    warn "attempt ${attempt} of ${times} failed with status ${status}: $*"
    sleep "${RETRY_SECONDS:-$((2 ** (attempt - 1)))}"
  done
  return "${status}"
}

# quietly COMMAND...: its output, on standard error, only where it fails.
quietly() {
  local log status=0
  log=$(mktemp)
  "$@" >|"${log}" 2>&1 || status=$?
  if ((status != 0)); then
    cat -- "${log}" >&2
  fi
  rm -f -- "${log}"
  return "${status}"
}

# bail_choice NAME VALUE ALLOWED: for the `*)` branch of a case.
bail_choice() {
  bail "${EXIT_USAGE}" "$1: '$2' is not known; allowed: $3"
}
