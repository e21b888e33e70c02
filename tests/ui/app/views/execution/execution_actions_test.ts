import { assertEquals } from "@std/assert";
import type { State } from "../../../../../src/model/executions/state.ts";
import {
  EXECUTION_ACTIONS,
  mainActions,
  refusalOf,
} from "../../../../../src/ui/app/views/execution/execution_actions.ts";
import { execution } from "./task_run_infos.ts";

const POSSIBLE: readonly (readonly [State, readonly string[]])[] = [
  ["CREATED", ["replay", "forceRun", "kill"]],
  ["QUEUED", ["replay", "forceRun", "unqueue", "kill"]],
  ["RUNNING", ["replay", "pause", "kill"]],
  ["PAUSED", ["resume", "restart", "replay", "kill"]],
  ["BREAKPOINT", ["resume", "replay", "kill"]],
  ["SUCCESS", ["replay", "changeState", "labels", "delete"]],
  ["FAILED", ["restart", "replay", "changeState", "labels", "delete"]],
  ["RETRIED", ["restart", "replay", "kill", "changeState", "labels", "delete"]],
];

for (const [state, expected] of POSSIBLE) {
  Deno.test(`refusalOf() ${state} allows ${expected.join(", ")}`, () => {
    const possible = EXECUTION_ACTIONS.filter((action) => refusalOf(action, execution(state)) === undefined);
    assertEquals(possible, [...expected] as typeof possible);
  });

  Deno.test(`mainActions() ${state} offers only what is possible`, () => {
    const refused = mainActions(execution(state)).filter((action) => refusalOf(action, execution(state)));
    assertEquals(refused, []);
  });
}
