// deno-lint-ignore-file no-console
/**
 * Counts what executions read from and write to the database, for what a hosted database costs:
 * `deno run -A --no-check tests/bench/stored_rows.ts [executions]`. A write unit is 1 KiB of a row, a read unit 4 KiB, at least one.
 */
import { systemClock } from "../../src/base/time/clock.ts";
import type { Atomic, Key, ListOptions, Selector, StoredEntry } from "../../src/store/store.ts";
import { EFFECT_TYPE, Harness } from "../support/harness.ts";
import { MemoryStore } from "../support/fakes/memory_store.ts";

const WRITE_UNIT_BYTES = 1_024;
const READ_UNIT_BYTES = 4_096;

const FLOWS: Readonly<Record<string, string>> = {
  "one pure task": "  - {id: log, type: io.kestra.plugin.core.log.Log, message: hello}",
  "five pure tasks": Array.from(
    { length: 5 },
    (_, n) => `  - {id: log${n}, type: io.kestra.plugin.core.log.Log, message: hello}`,
  ).join("\n"),
  "one task with a side effect": `  - {id: effect, type: ${EFFECT_TYPE}, name: x}`,
};

class CountingStore extends MemoryStore {
  readonly counts = { commits: 0, rowsWritten: 0, writeUnits: 0, reads: 0, readUnits: 0 };

  override async get(key: Key): Promise<StoredEntry | null> {
    return this.#read(await super.get(key));
  }

  override async *list(selector: Selector, options?: ListOptions): AsyncIterable<StoredEntry> {
    for await (const entry of super.list(selector, options)) yield this.#read(entry);
  }

  override commit(atomic: Atomic): Promise<string | null> {
    this.counts.commits++;
    for (const mutation of atomic.mutations) {
      const bytes = mutation.type === "set" ? mutation.value.length : 0;
      this.counts.rowsWritten++;
      this.counts.writeUnits += Math.max(1, Math.ceil(bytes / WRITE_UNIT_BYTES));
    }
    return super.commit(atomic);
  }

  #read<Entry extends StoredEntry | null>(entry: Entry): Entry {
    this.counts.reads++;
    this.counts.readUnits += Math.max(1, Math.ceil((entry?.value.length ?? 0) / READ_UNIT_BYTES));
    return entry;
  }
}

/** Runs so many executions, some at a time; gives what they read and wrote. */
async function measure(tasks: string, executions: number, atOnce: number) {
  let counting: CountingStore | undefined;
  await using app = await Harness.start({
    clock: systemClock,
    wrap: (store) => {
      counting = new CountingStore(systemClock);
      store.close();
      return counting;
    },
  });
  await app.save(`id: measured\nnamespace: bench\ntasks:\n${tasks}\n`);
  const before = { ...counting?.counts };
  const start = async () => {
    const body = new FormData();
    const path = "/api/v1/main/executions/bench/measured?wait=true";
    const response = await app.open("POST", path, { method: "POST", body });
    await response.body?.cancel();
  };
  for (let done = 0; done < executions; done += atOnce) {
    await Promise.all(Array.from({ length: Math.min(atOnce, executions - done) }, start));
  }
  const after = Object.entries(counting?.counts ?? {});
  return Object.fromEntries(
    after.map(([name, count]) => [name, count - (before[name as keyof typeof before] ?? 0)]),
  );
}

const executions = Number(Deno.args[0] ?? 1_000);
for (const [name, tasks] of Object.entries(FLOWS)) {
  for (const atOnce of [1, 50]) {
    console.log(`${name}, ${atOnce} at once:`, await measure(tasks, executions, atOnce));
  }
}
