# shellcheck shell=bash
# Distribution packages by apt: what it knows, installing without starting a service. Source it after lib.sh.

readonly POLICY=/usr/sbin/policy-rc.d
readonly POLICY_SAVED=${POLICY}.before-perf-gate
readonly POLICY_MARK='put here by perf-gate while packages are installed'

# candidate PACKAGE [APT_OPTION...]: prints the version apt would install, without epoch; status 1 where there is none.
candidate() {
  local package=$1 version
  shift
  version=$(LC_ALL=C apt-cache "$@" policy -- "${package}" 2>/dev/null | sed -n 's/^  Candidate: //p' || true)
  [[ -n ${version} && ${version} != '(none)' ]] || return 1
  printf '%s\n' "${version#*:}"
}

# True where apt could install the package.
installable() {
  candidate "$1" >/dev/null
}

lists_are_fresh() {
  [[ -n $(find /var/lib/apt/lists -maxdepth 1 -name '*_Packages*' -cmin -1440 -print -quit 2>/dev/null || true) ]]
}

# Prints the address this machine gets Debian from, which may be a mirror; status 1 where it gets none.
debian_mirror() {
  local mirror
  # shellcheck disable=SC2016 # apt expands it
  mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Origin: Debian' 'Label: Debian' | sed -n 1p)
  [[ -n ${mirror} ]] || return 1
  printf '%s\n' "${mirror%/}"
}

as_root() {
  if ((EUID == 0)); then
    "$@"
  else
    sudo -- "$@"
  fi
}

can_become_root() {
  ((EUID == 0)) || { has sudo && { sudo -n true 2>/dev/null || [[ -t 0 ]]; }; }
}

apt_get() {
  DEBIAN_FRONTEND=noninteractive quietly apt-get -q -o DPkg::Lock::Timeout=300 -o Dpkg::Use-Pty=0 "$@" </dev/null
}

apt_install() {
  apt_get install -y --no-install-recommends -- "$@"
}

# Debian starts a service as soon as it is installed; this is the documented way to say no.
services_stay_down() {
  if [[ -e ${POLICY} ]] && ! grep -Fq -- "${POLICY_MARK}" "${POLICY}"; then
    mv -- "${POLICY}" "${POLICY_SAVED}"
  fi
  printf '#!/bin/sh\n# %s\nexit 101\n' "${POLICY_MARK}" >|"${POLICY}"
  chmod 755 -- "${POLICY}"
}

services_as_before() {
  rm -f -- "${POLICY}"
  if [[ -e ${POLICY_SAVED} ]]; then
    mv -- "${POLICY_SAVED}" "${POLICY}"
  fi
}

# Nor do the new services start with the next boot.
disable_services_of() {
  local unit
  has systemctl || return 0
  for unit in $(dpkg -L -- "$@" 2>/dev/null | sed -nE 's#^(/usr)?/lib/systemd/system/([^/@]+\.(service|socket))$#\2#p' | sort -u); do
    case "${unit}" in
      containerd.service | docker.service | docker.socket | mariadb.service | nginx.service | php*-fpm.service | \
        prometheus.service | redis-server.service)
        systemctl disable --quiet -- "${unit}" 2>/dev/null || warn "could not keep ${unit} from starting at boot"
        ;;
      *) ;;
    esac
  done
}

installed_packages() {
  dpkg-query -W -f '${db:Status-Abbrev}${Package}\n' | sort
}

# without_services COMMAND...: runs it as root, one at a time on this machine; no service of a package that it installs
# is started or enabled.
without_services() (
  local before status=0
  local -a new
  # Two at once would restore what the other put in place.
  exec 9>>/run/lock/perf-gate-setup.lock
  flock 9
  before=$(installed_packages)
  trap services_as_before EXIT
  services_stay_down
  "$@" || status=$?
  mapfile -t new < <(installed_packages | comm -13 <(printf '%s\n' "${before}") - | sed -n 's/^ii //p')
  if ((${#new[@]} > 0)); then
    disable_services_of "${new[@]}"
  fi
  return "${status}"
)
