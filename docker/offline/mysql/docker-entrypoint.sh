#!/usr/bin/env bash
# Fills an empty data directory as the official image does: MYSQL_ROOT_PASSWORD, MYSQL_ALLOW_EMPTY_PASSWORD,
# MYSQL_RANDOM_ROOT_PASSWORD, MYSQL_ROOT_HOST, MYSQL_DATABASE, MYSQL_USER, MYSQL_PASSWORD (each also as NAME_FILE), and
# /docker-entrypoint-initdb.d/*.{sh,sql,sql.gz}. Then runs mysqld.
set -CeEuo pipefail

readonly DATA=/var/lib/mysql
readonly SOCKET=/var/run/mysqld/mysqld.sock

say() {
  printf '[entrypoint] %s\n' "$*" >&2
}

bail() {
  say "error: $*"
  exit 1
}

# Prints the value of a variable, or of the file that NAME_FILE names.
setting() {
  local file=$1_FILE
  if [[ -n ${!file:-} ]]; then
    cat -- "${!file}"
  else
    printf '%s' "${!1:-}"
  fi
}

# A string as SQL writes it.
sql_string() {
  local text=$1
  text=${text//\\/\\\\}
  printf "'%s'" "${text//\'/\'\'}"
}

root() {
  MYSQL_PWD=${ROOT_SET:+${ROOT_PASSWORD}} mysql --protocol=socket --socket="${SOCKET}" --user=root --comments "$@"
}

# Statements for users and the first database.
first_statements() {
  local host database user
  host=$(sql_string "$(setting MYSQL_ROOT_HOST)")
  [[ ${host} != "''" ]] || host="'%'"
  printf 'CREATE USER root@%s IDENTIFIED BY %s;\n' "${host}" "$(sql_string "${ROOT_PASSWORD}")"
  printf 'GRANT ALL ON *.* TO root@%s WITH GRANT OPTION;\n' "${host}"
  printf "ALTER USER root@localhost IDENTIFIED BY %s;\n" "$(sql_string "${ROOT_PASSWORD}")"
  database=$(setting MYSQL_DATABASE)
  user=$(setting MYSQL_USER)
  [[ -z ${database} ]] || printf "CREATE DATABASE IF NOT EXISTS \`%s\`;\n" "${database}"
  if [[ -n ${user} ]]; then
    printf "CREATE USER %s@'%%' IDENTIFIED BY %s;\n" "$(sql_string "${user}")" "$(sql_string "$(setting MYSQL_PASSWORD)")"
    [[ -z ${database} ]] || printf "GRANT ALL ON \`%s\`.* TO %s@'%%';\n" "${database//_/\\_}" "$(sql_string "${user}")"
  fi
}

run_init_files() {
  local file database
  local -a into=()
  database=$(setting MYSQL_DATABASE)
  [[ -z ${database} ]] || into=("${database}")
  for file in /docker-entrypoint-initdb.d/*; do
    case "${file}" in
      *.sh)
        say "running ${file}"
        # shellcheck source=/dev/null
        if [[ -x ${file} ]]; then "${file}"; else source "${file}"; fi
        ;;
      *.sql)
        say "running ${file}"
        root "${into[@]}" <"${file}"
        ;;
      *.sql.gz)
        say "running ${file}"
        gzip -dc -- "${file}" | root "${into[@]}"
        ;;
      *) ;;
    esac
  done
}

# initialise MYSQLD_ARGUMENT...
initialise() {
  local server attempt
  ROOT_PASSWORD=$(setting MYSQL_ROOT_PASSWORD)
  ROOT_SET=''
  if [[ -n ${MYSQL_RANDOM_ROOT_PASSWORD:-} ]]; then
    ROOT_PASSWORD=$(head -c 24 /dev/urandom | base64)
    say "root's password: ${ROOT_PASSWORD}"
  elif [[ -z ${ROOT_PASSWORD} && -z ${MYSQL_ALLOW_EMPTY_PASSWORD:-} ]]; then
    bail 'set MYSQL_ROOT_PASSWORD, MYSQL_ALLOW_EMPTY_PASSWORD or MYSQL_RANDOM_ROOT_PASSWORD'
  fi
  if [[ -n $(setting MYSQL_USER) && -z $(setting MYSQL_PASSWORD) ]]; then
    bail 'MYSQL_USER needs MYSQL_PASSWORD'
  fi
  say 'setting up the data directory'
  mysqld "$@" --initialize-insecure
  mysqld "$@" --skip-networking --socket="${SOCKET}" &
  server=$!
  for ((attempt = 0; attempt < 600; attempt++)); do
    ! root --execute='SELECT 1' >/dev/null 2>&1 || break
    kill -0 "${server}" 2>/dev/null || bail 'mysqld ended while it was set up, see above'
    sleep 0.1
  done
  first_statements | root
  ROOT_SET=1
  run_init_files
  kill -TERM "${server}"
  wait "${server}" || bail 'mysqld did not end well after it was set up'
  say 'ready'
}

main() {
  if [[ ${1:-} == -* || $# -eq 0 ]]; then
    set -- mysqld "$@"
  fi
  if [[ $1 == mysqld && " $* " != *' --help '* ]]; then
    if [[ ! -d ${DATA}/mysql ]]; then
      # A bind mount or a volume of another image.
      chown mysql:mysql "${DATA}"
      initialise "${@:2}"
    fi
  fi
  exec "$@"
}

main "$@"
