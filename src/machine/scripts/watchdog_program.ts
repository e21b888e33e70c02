/** What the watchdog runs. */

/** The variable by which processes are found that have left their group. */
export const MARK_VARIABLE = "SLUICE_RUN";

/**
 * A program for any shell, which waits without any other program. A line that it reads is a verb and words: `g` and a process
 * group, `m` and what marks of processes begin with, `c` and a command that cleans up, its bytes in octal so that no quote
 * breaks out.
 * `hold` has it end what the words stand for when the pipe ends, `drop` does not any more, `end` ends it now. One byte is
 * answered when it is up, and one after each `end`. Its `grep` must know `-z`, as GNU's and busybox's do.
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
      c*) (exec 3>&-; eval "$(printf %b "$value")") </dev/null & ;;
    esac
  done
  [ -z "$marks" ] || sweep
}

# One that leads a group ends with it. Once more after any that it found: meanwhile they may have started others.
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

echo >&3
ending=
while read -r verb words; do
  for word in $words; do
    drop "$word"
    [ "$verb" != hold ] || held="$held$word "
  done
  [ "$verb" = end ] || continue
  # It has answered: this only takes note of its end.
  [ -z "$ending" ] || wait "$ending"
  (end $words; echo >&3) </dev/null &
  ending=$!
done
end $held
# What was being started when the server died may not have had its environment yet.
[ -z "$marks" ] || sweep
exit 0
`;
