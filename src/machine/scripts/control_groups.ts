/**
 * Control groups (cgroup v2): each script runs in a group of its own, so that the kernel limits it and ends all its processes,
 * also those that left its process group. Shells do the work: the server itself needs no access to `/sys`.
 * https://docs.kernel.org/admin-guide/cgroup-v2.html
 */
import type { RandomBytes } from "../../base/id.ts";
import type { ScriptLimits } from "../../config/mod.ts";
import { type LimitReached, limitReached } from "./limits.ts";
import { shellOutput } from "./shell_program.ts";

/** What the kernel limits in a group. */
type Controller = "memory" | "pids" | "cpu";

/** The groups that the server may create. */
export interface GroupSupport {
  /** The group of all scripts. */
  readonly path: string;
  readonly controllers: ReadonlySet<Controller>;
}

interface ControlGroupOptions {
  readonly limits: ScriptLimits;
  /** Environment of the shells. */
  readonly env: Readonly<Record<string, string>>;
  readonly randomBytes: RandomBytes;
}

const CONTROLLERS: readonly Controller[] = ["memory", "pids", "cpu"];
const TEXTS: Readonly<Record<Controller, string>> = {
  memory: "memory",
  pids: "processes",
  cpu: "processors",
};
/** Without the controller. */
const MISSING: Readonly<Record<Controller, string>> = {
  memory: "memory is checked every second",
  pids: "processes are counted every second",
  cpu: "processors are not limited",
};
const DEFAULT_PROCESSES = 4_096;
const CPU_PERIOD_US = 100_000;

/**
 * Creates the group `$1` below that of the server with process id `$2`; prints its path, then its controllers. Controllers
 * need a parent without processes: a server that is alone in its group moves to one beside it.
 */
const SETUP_PROGRAM = `
PATH=/usr/bin:/bin:$PATH
mount= own=
while read -r id parent device root place rest; do
  case $root:$rest in /:*' - cgroup2 '*) mount=$place ;; esac
done < /proc/self/mountinfo
while IFS=: read -r id names path; do
  [ "$id" != 0 ] || own=$path
done < /proc/self/cgroup
[ -n "$mount" ] && [ -n "$own" ] || exit 1
base=$mount\${own%/}
group=$base/$1
mkdir "$group" || exit 1
probe() { mkdir "$group/probe" && (echo 0 > "$group/probe/cgroup.procs") && rmdir "$group/probe"; }
[ -e "$group/cgroup.kill" ] && probe || { rmdir "$group/probe"; rmdir "$group"; exit 1; }
listed() {
  read -r names < "$1"
  for name in memory pids cpu; do
    case " $names " in *" $name "*) printf '%s ' "$name" ;; esac
  done
}
enable() {
  for name in $available; do echo "+$name" > "$1/cgroup.subtree_control"; done
  [ "$(listed "$1/cgroup.subtree_control")" = "$available" ]
}
is_alone() {
  while read -r pid; do
    [ "$pid" = "$1" ] || [ "$pid" = $$ ] || return 1
  done < "$base/cgroup.procs"
}
available=$(listed "$base/cgroup.controllers")
if [ -n "$available" ] && ! enable "$base" && is_alone "$2"; then
  mkdir "$group-server"
  for pid in $$ "$2"; do echo "$pid" > "$group-server/cgroup.procs"; done
  enable "$base"
fi
enable "$group"
printf '%s\\n%s\\n' "$group" "$(listed "$group/cgroup.subtree_control")"
`;

/** Creates the group `$2` in `$1` and puts the process `$3` there, with `memory.max`, `cpu.max` and `pids.max` if not empty. */
const PLACE_PROGRAM = `
PATH=/usr/bin:/bin:$PATH
cd "$1" && mkdir "$2" && cd "$2" || exit 1
[ -z "$4" ] || { echo "$4" > memory.max && echo 1 > memory.oom.group; } || exit 1
[ -z "$4" ] || [ ! -e memory.swap.max ] || echo 0 > memory.swap.max
[ -z "$5" ] || echo "$5" > cpu.max || exit 1
[ -z "$6" ] || echo "$6" > pids.max || exit 1
echo "$3" > cgroup.procs
`;

/** Prints which limits a group has met. */
const EVENTS_PROGRAM = `
cd "$1" || exit 1
while read -r key count; do
  [ "$key" != oom_kill ] || [ "$count" = 0 ] || echo memory
done < memory.events
while read -r key count; do
  [ "$key" != max ] || [ "$count" = 0 ] || echo processes
done < pids.events
`;

/** How limits of scripts are enforced on this machine. */
export function enforcementText(support: GroupSupport | undefined): string {
  if (!support) {
    return "Scripts have no control groups: this server may not create any, so memory and processes are checked every " +
      "second, processors are not limited, and processes that hide are not found";
  }
  const place = `Scripts have control groups below "${support.path}"`;
  const names = [...support.controllers].map((controller) => TEXTS[controller]);
  const missing = CONTROLLERS.filter((controller) => !support.controllers.has(controller)).map((controller) =>
    MISSING[controller]
  );
  return [
    place,
    ...names.length > 0 ? [`the kernel limits ${names.join(", ")}`] : [],
    ...missing,
  ].join("; ");
}

/** The control groups of one server. */
export class ControlGroups {
  readonly #options: ControlGroupOptions;
  #support: Promise<GroupSupport | undefined> | undefined;
  #count = 0;

  constructor(options: ControlGroupOptions) {
    this.#options = options;
  }

  /** What this machine lets the server do; `undefined` where it cannot create groups. */
  support(): Promise<GroupSupport | undefined> {
    return this.#support ??= this.#setUp();
  }

  /** Puts a process that has not begun its work into a new group; returns the path. @throws Error it is not there */
  async place(pid: number, { path, controllers }: GroupSupport): Promise<string> {
    const { memoryBytes, cpus, processes = DEFAULT_PROCESSES } = this.#options.limits;
    const name = String(++this.#count);
    const value = (controller: Controller, text: string) => controllers.has(controller) ? text : "";
    const output = await shellOutput(PLACE_PROGRAM, [
      path,
      name,
      String(pid),
      value("memory", memoryBytes === undefined ? "" : String(memoryBytes)),
      value("cpu", cpus === undefined ? "" : `${Math.ceil(cpus * CPU_PERIOD_US)} ${CPU_PERIOD_US}`),
      value("pids", String(processes)),
    ], this.#options.env);
    if (output !== undefined) return `${path}/${name}`;
    throw new Error(`Cannot run commands: no process can be put into the control group "${path}/${name}"`);
  }

  /** The limit that the processes of a group have met. */
  async met(path: string): Promise<LimitReached | undefined> {
    const { limits, env } = this.#options;
    const [name] = (await shellOutput(EVENTS_PROGRAM, [path], env) ?? "").split("\n");
    if (name !== "memory" && name !== "processes") return undefined;
    return limitReached(name, { processes: DEFAULT_PROCESSES, ...limits });
  }

  async #setUp(): Promise<GroupSupport | undefined> {
    const bytes = new Uint8Array(8);
    this.#options.randomBytes(bytes);
    const args = [`sluice-${bytes.toHex()}`, String(Deno.pid)];
    const output = await shellOutput(SETUP_PROGRAM, args, this.#options.env);
    const [path, names = ""] = output?.split("\n") ?? [];
    if (!path) return undefined;
    return {
      path,
      controllers: new Set(names.trim().split(" ").filter((name) => name !== "") as Controller[]),
    };
  }
}
