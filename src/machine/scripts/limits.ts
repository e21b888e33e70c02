/** Limits of one script, as far as the server enforces them itself: by counting, by timers, and by looking every second. */
import type { Clock } from "../../base/time/clock.ts";
import { formatDuration } from "../../base/time/duration.ts";
import type { ScriptLimits } from "../../config/mod.ts";
import { shellOutput } from "./shell_program.ts";
import { MARK_VARIABLE } from "./watchdog_program.ts";

/** Limits that a script meets while it runs. */
type LimitName = "memory" | "containerMemory" | "processes" | "time" | "output" | "disk";

/** A process, by the beginning of the mark of all its descendants. */
interface MarkedProcess {
  readonly mark: string;
}

/** Interval of the checks of a script. */
const LOOK_MS = 1_000;
const KIB = 1024;

/**
 * Prints resident memory in KiB and number of the processes with the mark `$1`, 0 if that is empty, and the size of the
 * directories that follow in KiB.
 */
const LOOK_PROGRAM = `
PATH=/usr/bin:/bin:$PATH
memory=0 count=0 disk=0
[ -z "$1" ] || for file in $(grep -lszF "${MARK_VARIABLE}=$1" /proc/[0-9]*/environ); do
  count=$((count + 1))
  while read -r key value rest; do
    [ "$key" != VmRSS: ] || { memory=$((memory + value)); break; }
  done < "\${file%environ}status"
done
shift
for directory; do
  size=$(du -skx -- "$directory")
  size=\${size%%[!0-9]*}
  disk=$((disk + \${size:-0}))
done
echo "$memory $count $disk"
`;

/** A script has met a limit. The message names the limit and its option. */
export class LimitReached extends Error {}

/** The error of a script that has met that limit. */
export function limitReached(name: LimitName, limits: ScriptLimits): LimitReached {
  const texts: Readonly<Record<LimitName, () => string>> = {
    memory: () => `needs more memory than the ${sizeText(limits.memoryBytes)} of --script-memory`,
    containerMemory: () => `needs more memory than the ${sizeText(limits.memoryBytes)} of its task runner`,
    processes: () => `has more processes at a time than the ${limits.processes} of --script-processes`,
    time: () => `runs longer than the ${formatDuration(limits.timeMs ?? 0)} of --script-time`,
    output: () => `logs more than the ${sizeText(limits.outputBytes)} of --script-output`,
    disk: () => `has a working directory larger than the ${sizeText(limits.diskBytes)} of --script-disk`,
  };
  return new LimitReached(`Cannot continue: the script ${texts[name]()}`);
}

function sizeText(bytes = 0): string {
  const unit = [["GB", KIB ** 3], ["MB", KIB ** 2], ["KB", KIB]] as const;
  const [name, size] = unit.find(([, each]) => bytes % each === 0) ?? ["bytes", 1];
  return `${bytes / size} ${name}`;
}

interface WatchOptions {
  readonly clock: Clock;
  /** Those that nothing else enforces. */
  readonly limits: ScriptLimits;
  /** Their sizes count together. */
  readonly directories: readonly string[];
  /** Environment of the programs that look. */
  readonly env: Readonly<Record<string, string>>;
}

/** Watches one script. */
export class LimitWatch {
  readonly #options: WatchOptions;
  #outputBytes = 0;

  constructor(options: WatchOptions) {
    this.#options = options;
  }

  /** Counts a line of output. @throws LimitReached */
  count(text: string): void {
    const { limits } = this.#options;
    this.#outputBytes += text.length + 1;
    if (this.#outputBytes > (limits.outputBytes ?? Infinity)) throw limitReached("output", limits);
  }

  /** Begins to watch; `fail` must stop the script. The returned function ends it. */
  readonly start = (watched: MarkedProcess, fail: (error: Error) => void): () => Promise<void> => {
    const { clock, limits } = this.#options;
    const cancelTime = limits.timeMs === undefined
      ? () => {}
      : clock.setTimer(limits.timeMs, () => fail(limitReached("time", limits)));
    const stopLooking = this.#isLooking() ? this.#lookAgain(watched, fail) : () => Promise.resolve();
    return async () => {
      cancelTime();
      await stopLooking();
    };
  };

  #isLooking(): boolean {
    const { diskBytes, memoryBytes, processes } = this.#options.limits;
    return (diskBytes ?? memoryBytes ?? processes) !== undefined;
  }

  #lookAgain(watched: MarkedProcess, fail: (error: Error) => void): () => Promise<void> {
    const { clock, limits } = this.#options;
    let look: Promise<void> | undefined;
    let isOver = false;
    const plan = () => clock.setTimer(LOOK_MS, () => void (look = next()));
    const next = async () => {
      const name = await this.#met(watched.mark);
      if (name !== undefined) fail(limitReached(name, limits));
      else if (!isOver) cancel = plan();
    };
    let cancel = plan();
    return async () => {
      isOver = true;
      cancel();
      await look;
    };
  }

  async #met(mark: string): Promise<LimitName | undefined> {
    const { limits: { memoryBytes, processes, diskBytes }, directories, env } = this.#options;
    const isCounted = (memoryBytes ?? processes) !== undefined;
    const args = [isCounted ? mark : "", ...(diskBytes ? directories : [])];
    const output = await shellOutput(LOOK_PROGRAM, args, env);
    const [memory = 0, count = 0, disk = 0] = output?.split(" ").map(Number) ?? [];
    if (memory * KIB > (memoryBytes ?? Infinity)) return "memory";
    if (count > (processes ?? Infinity)) return "processes";
    return disk * KIB > (diskBytes ?? Infinity) ? "disk" : undefined;
  }
}
