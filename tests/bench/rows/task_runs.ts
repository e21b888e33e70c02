/** Row 17: executions with many task runs: time, memory and bytes written grow as the task runs do. */
import { createFlow, flowOf, search, start } from "../api.ts";
import type { Bench } from "../bench.ts";
import { DatabaseFile } from "../database_file.ts";
import { inMegabytes, inMs, median, type RowResult, type ServerMetric } from "../figures.ts";
import { pause, type ServerUnderTest } from "../servers/server_under_test.ts";
import type { Row } from "./row.ts";

const SIZES = [2_500, 5_000, 10_000] as const;
const CORE = "io.svc.plugin.core";
const LOOK_MS = 20;
/** A side effect is a transition of its own; so many at a time share a commit. */
const AT_ONCE = 4;

/** Executions with many task runs. */
export const taskRunsRow: Row = {
  number: 17,
  name: "task-runs",
  title: "executions of 10,000 task runs ÷ of 2,500: time, CPU, memory, bytes written",
  measure,
};

/** What an execution has taken. */
interface Taken {
  readonly durationMs: number;
  /** Of the server meanwhile. */
  readonly cpuMs: number;
  readonly commits: number;
  readonly writtenBytes: number;
}

/** A server that runs executions of one size, and nothing else. */
interface Subject {
  readonly size: number;
  readonly server: ServerUnderTest;
  readonly rounds: Taken[];
  /** Of the process by its first execution, more than before; later ones find it grown already. */
  readonly peakBytes: number;
}

interface Kind {
  readonly name: string;
  readonly task: string;
  readonly limit: number;
  readonly rounds: number;
}

const KINDS: readonly Kind[] = [
  {
    name: "pure",
    task: `{id: t, type: ${CORE}.debug.Return, format: "{{ taskrun.value }}"}`,
    limit: 0,
    rounds: 3,
  },
  { name: "side effects", task: `{id: t, type: ${CORE}.kv.Get, key: absent}`, limit: AT_ONCE, rounds: 1 },
];

async function measure(bench: Bench): Promise<RowResult> {
  const figures: ServerMetric[] = [], notes: string[] = [];
  for (const kind of KINDS) {
    await using servers = new AsyncDisposableStack();
    const subjects: Subject[] = [];
    for (const size of SIZES) {
      subjects.push(await prepare(servers.use(await bench.startServer()), size, kind));
    }
    // By turns, so that what else goes on meets all sizes alike.
    for (let round = 2; round <= kind.rounds; round++) {
      for (const { server, rounds } of subjects) rounds.push(await runCounted(server, round));
    }
    const [least, , most] = subjects;
    if (least && most) figures.push(...figuresOf(kind, least, most));
    notes.push(...subjects.map((subject) => `${kind.name}: ${describe(subject)}`));
  }
  return { figures, notes };
}

function figuresOf({ name }: Kind, least: Subject, most: Subject): ServerMetric[] {
  const growth = (what: string, of: (subject: Subject) => number, show: (value: number) => string) =>
    serverMetric(`${what}, ${name}`, [of(most), of(least) * most.size / least.size], show);
  return [
    growth("time", (subject) => middle(subject, ({ durationMs }) => durationMs), inMs),
    growth("CPU", (subject) => middle(subject, ({ cpuMs }) => cpuMs), inMs),
    growth("memory", ({ peakBytes }) => peakBytes, inMegabytes),
    {
      ...growth(
        "bytes written",
        (subject) => middle(subject, ({ writtenBytes }) => writtenBytes),
        inMegabytes,
      ),
      // What SQLite has appended to its log it copies into the file from 4 MB on: a small execution does not get there.
      floor: 2,
      goal: 1.5,
    },
  ];
}

function serverMetric(
  name: string,
  [measured, limit]: readonly [number, number],
  show: (value: number) => string,
): ServerMetric {
  return {
    row: 17,
    name: `${name}: 10,000 task runs ÷ 4 × 2,500`,
    measured: show(measured),
    limit: show(limit),
    value: measured / limit,
    unit: "",
    better: "lower",
    floor: 1.5,
    goal: 1.1,
  };
}

function middle({ rounds }: Subject, of: (taken: Taken) => number): number {
  return median(rounds.map(of));
}

function describe(subject: Subject): string {
  const { size, peakBytes } = subject;
  const of = (name: keyof Taken) => middle(subject, (taken) => taken[name]);
  const each = Math.round(of("writtenBytes") / size).toLocaleString("en");
  return `${size.toLocaleString("en")} task runs ${inMs(of("durationMs"))}, ${
    inMegabytes(peakBytes)
  } more, ` +
    `${of("commits").toLocaleString("en")} commits, ${each} bytes written a task run`;
}

/** The first execution of the size, after a small one. */
async function prepare(server: ServerUnderTest, size: number, { task, limit }: Kind): Promise<Subject> {
  await createFlow(server.url, flowOf("few", loop(task, 10, limit)));
  await createFlow(server.url, flowOf("many", loop(task, size, limit)));
  await runOnce(server, "few", 1);
  const idleBytes = await server.residentBytes();
  const rounds = [await runCounted(server, 1)];
  return { size, server, rounds, peakBytes: await server.peakBytes() - idleBytes };
}

async function runCounted(server: ServerUnderTest, round: number): Promise<Taken> {
  using database = new DatabaseFile(server.databasePath);
  const [commits, written] = [database.commitNumber(), await server.writtenBytes()];
  const cpuMs = await server.cpuMs();
  const durationMs = await runOnce(server, "many", round);
  return {
    durationMs,
    cpuMs: await server.cpuMs() - cpuMs,
    commits: database.commitNumber() - commits,
    writtenBytes: await server.writtenBytes() - written,
  };
}

/** From CREATED to SUCCESS, by the execution's own history; nobody reads all of it meanwhile. */
async function runOnce({ url }: ServerUnderTest, flowId: string, round: number): Promise<number> {
  await start(url, flowId);
  while ((await search(url, `?size=1&flowId=${flowId}&state=SUCCESS`)).total < round) await pause(LOOK_MS);
  const [found] = (await search(url, `?size=1&flowId=${flowId}`)).results;
  return Date.parse(found?.state.endDate ?? "") - Date.parse(found?.state.startDate ?? "");
}

function loop(task: string, size: number, limit: number): string {
  return `{id: e, type: ${CORE}.flow.ForEach, values: "{{ range(1, ${size}) }}", concurrencyLimit: ${limit}, tasks: [${task}]}`;
}
