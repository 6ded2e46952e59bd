# Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0
# Kills the broker and deletes its folder when whoever holds the other end of standard input is gone.
# Words on standard input: "pid N" (watch this process), "gone" (it has ended), "done" (all is cleaned up).
folder=$1
pid=
trap '' INT TERM HUP
while read -r word value; do
  case $word in
    pid) pid=$value ;;
    gone) pid= ;;
    done) exit 0 ;;
  esac
done
if [ -n "$pid" ]; then
  kill -9 "$pid" 2>/dev/null
  # It is not our child: wait until it no longer exists.
  for _ in 1 2 3 4 5 6 7 8 9 10; do
    kill -0 "$pid" 2>/dev/null || break
    sleep 0.2
  done
fi
rm -rf -- "$folder"
