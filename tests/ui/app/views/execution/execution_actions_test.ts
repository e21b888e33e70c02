import { assertEquals } from "@std/assert";
import type { State } from "../../../../../src/model/executions/state.ts";
import {
  EXECUTION_ACTIONS,
  mainActions,
  refusalOf,
} from "../../../../../src/ui/app/views/execution/execution_actions.ts";
import { access } from "../../../../../src/ui/app/core/access.ts";
import { rightsOf, type Role } from "../../../../../src/model/access/role.ts";
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

/** The person of the page. */
function personWith(role: Role) {
  return { username: role, role, rights: rightsOf(role), isLimited: false, hasPassword: true, tenants: [] };
}

Deno.test("refusalOf() names the role of a viewer for each action, and nothing more for an editor", () => {
  const refusals = () => EXECUTION_ACTIONS.map((action) => refusalOf(action, execution("SUCCESS")));
  const before = refusals();
  try {
    access.value = { person: personWith("viewer"), isProtected: true };
    assertEquals([...new Set(refusals())], ["me.readOnly"]);
    access.value = { person: personWith("editor"), isProtected: true };
    assertEquals(refusals(), before);
  } finally {
    access.value = undefined;
  }
});
