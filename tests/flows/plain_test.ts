/** Users' flows that need nothing beyond the server and HTTP. */
import { assertGreaterOrEqual } from "@std/assert";
import { groupNames, readGroup } from "./user_flow.ts";
import { testUserFlows } from "./user_flow_tests.ts";

const GROUPS = [
  "apis",
  "approval",
  "cases",
  "control",
  "expressions",
  "failures",
  "ingestion",
  "inputs",
  "legacy",
  "settings",
  "state",
  "subflows",
  "triggers",
];

testUserFlows({ machine: "on any machine", groups: GROUPS });

Deno.test("users' flows: there are at least 150", () => {
  assertGreaterOrEqual(groupNames().flatMap(readGroup).length, 150);
});
