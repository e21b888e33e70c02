/** Rows of `tests/fixtures/flow_control/*.yaml`: a flow, what is done to its execution, and what must come of it. */
import { parse } from "@std/yaml";

/** One row. Task types are written `$.flow.If` for `io.kestra.plugin.core.flow.If`, and `EFFECT` for the harness's task. */
export interface Row {
  /** The rule. */
  readonly rule: string;
  /** A flow document without `id` and `namespace`. */
  readonly flow: Readonly<Record<string, unknown>>;
  /** Flows that are saved before, by id. */
  readonly others?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly inputs?: Readonly<Record<string, string>>;
  /** Executions that are started, one after the other; what is expected is expected of the last. */
  readonly starts?: number;
  /** What is done once it was started: `advance PT5S`, `resume`, `resume x=1`, `kill`, `pause`, `settle`. */
  readonly then?: readonly string[];
  readonly expect: Expectation;
}

/** What must come of a row. Whatever is absent is not looked at. */
export interface Expectation {
  /** History of the execution. */
  readonly states?: string;
  /** Number of task runs. */
  readonly count?: number;
  /** All task runs in any order, `id STATE` or `id CREATED RUNNING …`; those of loops as `id[value]`. */
  readonly runs?: readonly string[];
  /** Ids of the task runs in the order in which they were created. */
  readonly order?: readonly string[];
  /** Text that a Return task has put out, by id or `id[value]`. */
  readonly values?: Readonly<Record<string, string>>;
  /** Members of task outputs, by id or `id[value]`. */
  readonly taskOutputs?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /** Number of attempts, by id. */
  readonly attempts?: Readonly<Record<string, number>>;
  /** Id of the task around, by id. */
  readonly parents?: Readonly<Record<string, string>>;
  /** Outputs of the flow. */
  readonly outputs?: Readonly<Record<string, unknown>> | null;
  readonly labels?: Readonly<Record<string, string>>;
  /** Parts of log lines. */
  readonly logs?: readonly string[];
  /** Histories of the executions of a flow, by its id, in any order; `story` is the row's own. */
  readonly executions?: Readonly<Record<string, readonly string[]>>;
}

const FOLDER = new URL("../fixtures/flow_control/", import.meta.url);

/** All rows, by the file that they are in. */
export async function readRows(): Promise<ReadonlyMap<string, readonly Row[]>> {
  const rows = new Map<string, readonly Row[]>();
  for await (const { name } of Deno.readDir(FOLDER)) {
    const text = await Deno.readTextFile(new URL(name, FOLDER));
    const expanded = text.replaceAll("$.", "io.kestra.plugin.core.").replaceAll(
      "EFFECT",
      "io.svc.plugin.harness.Effect",
    );
    rows.set(name.replace(/\.yaml$/, ""), parse(expanded) as Row[]);
  }
  return new Map([...rows].sort(([a], [b]) => a < b ? -1 : 1));
}
