#!/bin/sh
# Options alone are meant for redis-server. As in the official image, no password is asked of other hosts.
set -eu
case "${1:-}" in
  -* | *.conf) set -- redis-server "$@" ;;
  *) ;;
esac
case " $* " in
  *' --protected-mode '*) ;;
  ' redis-server '*) set -- "$@" --protected-mode no ;;
  *) ;;
esac
exec "$@"
