# full.sh COMMAND...: succeeds when the command fails with status 1 and says why,
# both where standard output is full and where it is closed.
full=$("$@" 2>&1 >/dev/full)
full="$?: $full"
closed=$("$@" 2>&1 >&-)
closed="$?: $closed"
case "$full/$closed" in
1:*"error: cannot write to "*/1:*"error: cannot write to "*": Bad file descriptor"*) ;;
*)
  echo "$*: $full/$closed"
  exit 1
  ;;
esac
