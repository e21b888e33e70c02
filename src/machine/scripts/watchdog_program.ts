/** The shell program of the watchdog. */

/** The environment variable that marks processes, to find those that left their group. */
export const MARK_VARIABLE = "SLUICE_RUN";

/**
 * A program for any POSIX shell that needs no other program while it waits. An input line is a verb and words. A word is `g`
 * and a process group, `m` and the prefix of marks, or `c` and a clean-up command, its bytes in octal so that no quote breaks
 * out;
 * `k` ends and removes a control group, `d` one with the groups in it. `hold` registers words to end when the pipe closes, `drop` unregisters them, `end` ends them now. It writes one byte
 * when it is up, and one after each `end`. `until` and seconds ends all that is held after that time, unless another `until`
 * comes before: the server can be frozen while this is not. Its `grep` must support `-z`, as those of GNU and busybox do.
 */
export const WATCHDOG_PROGRAM = `
trap '' HUP INT TERM PIPE
exec 3>&1 >/dev/null 2>&1
PATH=/usr/bin:/bin:$PATH
newline='
'
set -f
held=' '

drop() {
  case $held in *" $1 "*) held="\${held%%" $1 "*} \${held#*" $1 "}" ;; esac
}

end() {
  marks=
  for word; do
    value=\${word#?}
    case $word in
      g*) kill -KILL "-$value" ;;
      m*) marks="$marks\${marks:+$newline}${MARK_VARIABLE}=$value" ;;
      k* | d*) remove_group "$(printf %b "$value")" ;;
      c*) (exec 3>&-; eval "$(printf %b "$value")") </dev/null & ;;
    esac
  done
  [ -z "$marks" ] || sweep
}

# A group can be removed once its processes are gone. The server may be in one beside that of all scripts.
remove_group() {
  echo 1 > "$1/cgroup.kill"
  (
    exec 3>&-
    set +f
    for try in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
      rmdir "$1"/*/ "$1" "$1-server"
      [ -d "$1" ] || [ -d "$1-server" ] || break
      sleep 0.2
    done
  ) </dev/null &
}

# A group leader ends with its group. Repeated after each hit: the processes may have started others meanwhile.
sweep() {
  set +f
  for pass in 1 2 3 4 5; do
    found=$(grep -lszF "$marks" /proc/[0-9]*/environ)
    [ -n "$found" ] || break
    for file in $found; do
      file=\${file#/proc/}
      kill -KILL "-\${file%/*}"
      kill -KILL "\${file%/*}"
    done
  done
}

disarm() {
  [ -z "$timer" ] || { kill -USR1 "$timer"; wait "$timer"; }
  timer=
}

arm() {
  disarm
  (
    exec 3>&- </dev/null
    trap 'kill -KILL "$pause"; exit' USR1
    sleep "$1" &
    pause=$!
    wait "$pause"
    trap '' USR1
    end $held
  ) &
  timer=$!
}

echo >&3
ending=
timer=
while read -r verb words; do
  if [ "$verb" = until ]; then
    arm "$words"
    continue
  fi
  for word in $words; do
    drop "$word"
    [ "$verb" != hold ] || held="$held$word "
  done
  [ "$verb" = end ] || continue
  # It has written its byte; this only reaps it.
  [ -z "$ending" ] || wait "$ending"
  (end $words; echo >&3) </dev/null &
  ending=$!
done
disarm
end $held
# A process that was starting when the server died may not have had its environment yet.
[ -z "$marks" ] || sweep
exit 0
`;
