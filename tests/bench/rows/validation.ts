/** Row 12: checking a flow of 1,000 tasks ÷ parsing its YAML with positions, and ÷ checking a tenth of it. */
import { LineCounter, parseDocument } from "yaml";
import { type Catalogs, parseFlowSource, validateFlow } from "../../../src/flow/mod.ts";
import { createTaskCatalog } from "../../../src/tasks/registry.ts";
import { createTriggerCatalog } from "../../../src/triggers/registry.ts";
import type { Bench } from "../bench.ts";
import { inMs, median, type RowResult } from "../figures.ts";
import type { Row } from "./row.ts";

/** Parsing and validation of flows. */
export const validationRow: Row = {
  number: 12,
  name: "validation",
  title: "a flow of 1,000 tasks checked ÷ its YAML parsed",
  measure,
};

const TASKS = 1_000;
const WARM_UP_ROUNDS = 5;
/** The small flow is checked that often in a round, so that both sides take some milliseconds. */
const SMALL_REPEATS = 10;

/** Milliseconds of each side. */
interface Times {
  /** The YAML library alone, with lines and columns. */
  readonly yaml: number;
  /** Parsed and validated, expressions included. */
  readonly checked: number;
  /** As saving does it. */
  readonly saved: number;
  /** A flow of a tenth of the tasks, parsed and validated. */
  readonly small: number;
}

async function measure(bench: Bench): Promise<RowResult> {
  const rounds: Times[] = [];
  const sides = sidesOf({ tasks: createTaskCatalog(), triggers: createTriggerCatalog() });
  const until = performance.now() + bench.options.seconds * bench.options.rounds * 1000;
  for (let round = 0; round < WARM_UP_ROUNDS || performance.now() < until; round++) {
    const times = timesOf(sides);
    if (round >= WARM_UP_ROUNDS) rounds.push(times);
    await Promise.resolve();
  }
  const of = (side: keyof Times) => median(rounds.map((times) => times[side]));
  const figures = [
    serverMetric(`${TASKS} tasks checked ÷ YAML parsed with positions`, [of("checked"), of("yaml")], [
      2.5,
      0.5,
    ]),
    serverMetric(`${TASKS} tasks checked ÷ ${TASKS / 10} tasks`, [of("checked"), of("small")], [12, 10]),
  ];
  return { figures, notes: [`as saving does it: ${inMs(of("saved"))}`] };
}

function serverMetric(
  name: string,
  [measured, limit]: readonly [number, number],
  [floor, goal]: readonly [number, number],
) {
  const value = measured / limit;
  const shared = { row: 12, unit: "", better: "lower" } as const;
  return { ...shared, name, measured: inMs(measured), limit: inMs(limit), value, floor, goal };
}

type Sides = Readonly<Record<keyof Times, () => void>>;

function sidesOf(catalogs: Catalogs): Sides {
  const large = flowOf(TASKS), small = flowOf(TASKS / 10);
  const expressions = { functions: new Set(["secret", "kv"]) };
  return {
    yaml: () => void parseDocument(large, { lineCounter: new LineCounter() }),
    checked: () => void validateFlow(parseFlowSource(large), catalogs, { expressions }),
    saved: () => void validateFlow(parseFlowSource(large), catalogs),
    small: () => {
      for (let i = 0; i < SMALL_REPEATS; i++) validateFlow(parseFlowSource(small), catalogs, { expressions });
    },
  };
}

/** One round; the sides take turns, so that a busy machine slows them alike. */
function timesOf(sides: Sides): Times {
  const time = (run: () => void) => {
    const start = performance.now();
    run();
    return performance.now() - start;
  };
  return {
    yaml: time(sides.yaml),
    checked: time(sides.checked),
    saved: time(sides.saved),
    small: time(sides.small) / SMALL_REPEATS,
  };
}

/** Tasks as they are written: each with an expression of its own. */
function flowOf(tasks: number): string {
  const list = Array.from({ length: tasks }, (_, i) =>
    `  - id: task-${i}
    type: io.kestra.plugin.core.log.Log
    message: "Hello {{ inputs.name }}, this is ${i}"
    level: INFO
`);
  return `id: long\nnamespace: bench\ninputs:\n  - id: name\n    type: STRING\ntasks:\n${list.join("")}`;
}
