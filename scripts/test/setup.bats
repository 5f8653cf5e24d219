#!/usr/bin/env bats
# scripts/setup.sh: what it says, and how it keeps k6 and service policy in order. Real installations are in the
# clean-room run of .ci/run.

# All programs of this machine but k6, and the Go that would build one.
setup_file() {
  export PROGRAMS=${BATS_FILE_TMPDIR}/programs
  mkdir -p "${PROGRAMS}"
  local directory
  while IFS= read -r -d : directory; do
    [[ ! -d ${directory} ]] || find "${directory}/" -maxdepth 1 ! -type d -exec ln -s -t "${PROGRAMS}" -- {} + 2>/dev/null || true
  done <<<"${PATH}:"
  rm -f "${PROGRAMS}/k6" "${PROGRAMS}/go"
}

setup() {
  SCRIPTS=$(cd "${BATS_TEST_DIRNAME}/.." && pwd -P)
  unset GITHUB_ACTIONS
  export PERF_GATE_CACHE=${BATS_TEST_TMPDIR}/cache RETRY_SECONDS=0
  BIN=${BATS_TEST_TMPDIR}/bin
  mkdir -p "${BIN}"
  PATH=${BIN}:${PROGRAMS}
}

plant() {
  printf '#!/usr/bin/env bash\n%s\n' "$2" >"${BIN}/$1"
  chmod +x "${BIN}/$1"
}

# A Go that "builds" what it is told to: a k6 that prints a version.
plant_go() {
  plant go "
case \"\$1 \${2:-}\" in
  'env GOVERSION') echo go1.26.0 ;;
  'env GOSUMDB') echo '${2:-sum.golang.org}' ;;
  'install -trimpath') mkdir -p \"\${GOBIN}\"; printf '#!/bin/sh\necho \"k6 $1 (go1.26.0, linux/amd64)\"\n' >\"\${GOBIN}/k6\"; chmod +x \"\${GOBIN}/k6\" ;;
esac"
}

# Runs functions of setup.sh.
inside() {
  run bash -c "source '${SCRIPTS}/setup.sh'; $1"
}

@test "--dry-run names what is missing, its purpose and its source, and touches nothing" {
  run "${SCRIPTS}/setup.sh" --dry-run
  [[ ${status} -eq 0 ]]
  [[ ${output} == *'k6 1.8.1: generates the load'*'checksum database'* ]]
  [[ ${output} == *'no service is enabled'* ]]
  [[ ! -e ${PERF_GATE_CACHE} ]]
}

@test "without --yes and without a terminal nothing is installed: status 2, says what to do" {
  plant_go v1.8.1
  run "${SCRIPTS}/setup.sh" </dev/null
  [[ ${status} -eq 2 ]]
  [[ ${output} == *'repeat with --yes'* ]]
  [[ ! -e ${PERF_GATE_CACHE} ]]
}

@test "wrong usage is status 2 and names what is allowed" {
  run "${SCRIPTS}/setup.sh" --for everything
  [[ ${status} -eq 2 ]]
  [[ ${output} == "error: --for: 'everything' is not known; allowed: run, action, charts, k6, test" ]]
  run "${SCRIPTS}/setup.sh" --force
  [[ ${status} -eq 2 ]]
  [[ ${output} == *"argument: '--force' is not known"* ]]
}

@test "--print-k6 without one: status 4 and the fix" {
  run "${SCRIPTS}/setup.sh" --print-k6
  [[ ${status} -eq 4 ]]
  [[ ${output} == *'scripts/setup.sh'* ]]
}

@test "--print-k6: a k6 on PATH counts only if it is exactly this version" {
  plant k6 'echo "k6 v1.8.10 (go1.26.0, linux/amd64)"'
  run "${SCRIPTS}/setup.sh" --print-k6
  [[ ${status} -eq 4 ]]
  plant k6 'echo "k6 v1.8.1 (go1.26.0, linux/amd64)"'
  run "${SCRIPTS}/setup.sh" --print-k6
  [[ ${status} -eq 0 ]]
  [[ ${output} == "${BIN}/k6" ]]
}

@test "k6 is installed in its own directory, leaves nothing beside it, and is found there" {
  plant_go v1.8.1
  inside install_k6
  [[ ${status} -eq 0 ]]
  [[ $(ls -A "${PERF_GATE_CACHE}") == k6-1.8.1 ]]
  run "${SCRIPTS}/setup.sh" --print-k6
  [[ ${output} == "${PERF_GATE_CACHE}/k6-1.8.1/k6" ]]
}

@test "two installations at once: one builds, the other takes it" {
  plant_go v1.8.1
  inside 'go_install() { echo builds; sleep 0.3; mkdir -p "$1/bin"; printf "#!/bin/sh\necho k6 v1.8.1 \(x\)\n" >"$1/bin/k6"; chmod +x "$1/bin/k6"; }
    install_k6 & first=$!; install_k6; wait "${first}"; find_k6; ls -A "${CACHE}"'
  [[ ${status} -eq 0 ]]
  [[ ${output} == $'builds\n'"${PERF_GATE_CACHE}/k6-1.8.1/k6"$'\nk6-1.8.1' ]]
}

@test "a build that fails, or gives another version, installs nothing" {
  plant go 'case "$1" in env) echo go1.26.0 ;; *) exit 3 ;; esac'
  run "${SCRIPTS}/setup.sh" --yes
  [[ ${status} -eq 4 ]]
  [[ ${output} == *'attempt 2 of 3 failed with status 3'* ]]
  [[ -z $(find "${PERF_GATE_CACHE}" -type f) ]]
  plant_go v1.8.0
  run "${SCRIPTS}/setup.sh" --yes
  [[ ${status} -eq 4 ]]
  [[ ${output} == *'what was built is not k6 1.8.1'* ]]
  [[ -z $(find "${PERF_GATE_CACHE}" -type f) ]]
}

@test "k6 is not built where its source could not be verified" {
  plant_go v1.8.1 off
  run "${SCRIPTS}/setup.sh" --yes
  [[ ${status} -eq 4 ]]
  [[ ${output} == *'GOSUMDB is off'* ]]
}

@test "packages for PHP extensions follow the PHP that is here" {
  inside 'php_fpm() { echo /usr/sbin/php-fpm8.4; }; packages_for php-redis'
  [[ ${output} == 'php8.4-redis php-redis' ]]
  inside 'php_fpm() { :; }; packages_for php-redis'
  [[ ${output} == 'php-redis' ]]
}

@test "of several php-fpm the newest is asked for its extensions" {
  plant php-fpm7.4 'echo curl'
  plant php-fpm99.10 'printf "[PHP Modules]\ncurl\nmysqli\n\n[Zend Modules]\nZend OPcache\n"'
  plant php-fpm99.9 'echo redis'
  inside 'php_fpm; php_loads curl "Zend OPcache" && ! php_loads redis && ! php_loads mysql && echo right'
  [[ ${output} == "${BIN}/php-fpm99.10"$'\nright' ]]
}

@test "packages are refused with the command to hand on, where there is neither root nor sudo" {
  inside 'can_become_root() { false; }; check_privileges jq redis'
  [[ ${status} -eq 4 ]]
  [[ ${output} == *'run as root: apt-get install --no-install-recommends jq redis'* ]]
}

@test "services stay down while packages are installed, and the policy is then what it was" {
  local policy=${BATS_TEST_TMPDIR}/policy-rc.d
  sed "s|^readonly POLICY=.*|readonly POLICY=${policy}|" "${SCRIPTS}/packages.sh" >"${BATS_TEST_TMPDIR}/packages.sh"
  local source="source '${SCRIPTS}/lib.sh'; source '${BATS_TEST_TMPDIR}/packages.sh'"
  # None before, none after.
  run bash -c "${source}; services_stay_down; '${policy}' nginx start || echo \$?; services_as_before"
  [[ ${output} == 101 ]]
  [[ ! -e ${policy} ]]
  # One before, the same after; also when a first attempt was killed half-way.
  printf '#!/bin/sh\nexit 104\n' >"${policy}"
  run bash -c "${source}; services_stay_down"
  run bash -c "${source}; services_stay_down; services_as_before"
  [[ $(cat "${policy}") == $'#!/bin/sh\nexit 104' ]]
  [[ ! -e ${policy}.before-perf-gate ]]
}

@test "node_modules is compared with package-lock.json" {
  local project=${BATS_TEST_TMPDIR}/project
  mkdir -p "${project}/scripts" "${project}/node_modules"
  cp "${SCRIPTS}"/{setup,lib,go,packages,tools}.sh "${project}/scripts"
  local lock='{"packages": {"": {}, "node_modules/a": {"integrity": "1"}, "node_modules/b": {"integrity": "2", "optional": true}}}'
  matches() {
    printf '%s' "$1" >|"${project}/node_modules/.package-lock.json"
    bash -c "source '${project}/scripts/setup.sh'; node_modules_match"
  }
  printf '%s' "${lock}" >"${project}/package-lock.json"
  matches "${lock}"
  matches '{"packages": {"node_modules/a": {"integrity": "1"}}}'
  ! matches '{"packages": {"node_modules/a": {"integrity": "9"}}}' || false
  ! matches '{"packages": {"node_modules/b": {"integrity": "2"}}}' || false
  ! matches '{"packages' || false
}

@test "--for action needs neither PHP nor its services, --for run does" {
  inside 'present() { [[ $1 != @(php-*|redis|nginx|mariadb-*) ]]; }; find_k6() { :; }; setup action 1 ""'
  [[ ${status} -eq 0 ]]
  [[ ${output} == 'everything for --for action is here' ]]
  inside 'present() { [[ $1 != @(php-*|redis|nginx|mariadb-*) ]]; }; find_k6() { :; }; setup run 1 ""'
  [[ ${output} == *'php-fpm: runs the service'*'redis: cache'* ]]
}

@test "--for action goes on without charts where packages cannot be installed" {
  inside 'present() { [[ $1 != gnuplot ]]; }; find_k6() { :; }; can_become_root() { false; }; setup action "" 1'
  [[ ${status} -eq 0 ]]
  [[ ${output} == *'warning: left out, as packages cannot be installed from here: gnuplot; what needs them is skipped'* ]]
}

@test "what is required is not left out: status 4, with the command to hand on" {
  inside 'present() { [[ $1 != taskset ]]; }; find_k6() { :; }; can_become_root() { false; }; setup action "" 1'
  [[ ${status} -eq 4 ]]
  [[ ${output} == *'run as root: apt-get install --no-install-recommends util-linux'* ]]
}

@test "--for k6 asks for nothing else" {
  plant_go v1.8.1
  inside 'present() { false; }; has() { [[ $1 == go ]]; }; setup k6 1 ""'
  [[ ${status} -eq 0 ]]
  [[ ${output} == *'k6 1.8.1: generates the load'* && ${output} != *'(package '* ]]
}

@test "--for charts builds no k6" {
  inside 'present() { [[ $1 != gnuplot ]]; }; find_k6() { false; }; setup charts 1 ""'
  [[ ${status} -eq 0 ]]
  [[ ${output} == *gnuplot* && ${output} != *k6* ]]
}

@test "action.yml caches the directory of the k6 that is installed" {
  local root=${SCRIPTS%/*} version
  inside 'printf "%s" "${K6_VERSION}"'
  version=${output}
  [[ $(grep -c "path: ~/.cache/perf-gate/k6-${version}\$" "${root}/action.yml") -eq 2 ]]
  [[ $(grep -c "key: perf-gate-k6-${version}-" "${root}/action.yml") -eq 2 ]]
}

@test "tools of the tests: none is found before it is installed, a failed build leaves nothing" {
  inside 'find_tool actionlint'
  [[ ${status} -ne 0 ]]
  plant_go v1.8.1 off
  inside 'install_tool actionlint'
  [[ ${status} -ne 0 ]]
  [[ ${output} == *'GOSUMDB is off'* ]]
  [[ -z $(find "${PERF_GATE_CACHE}" -mindepth 1) ]]
  inside 'find_tool nothing'
  [[ ${status} -eq 2 ]]
}
