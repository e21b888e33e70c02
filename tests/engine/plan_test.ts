import { assertEquals } from "@std/assert";
import { planFlow } from "../../src/engine/plan.ts";
import { plan } from "../support/flows/flows.ts";

const SOURCES: readonly (readonly [source: string, mentionsSecrets: boolean])[] = [
  ["id: plain\ntasks: []\n", false],
  ["inputs:\n  - id: password\n    type: SECRET\n", true],
  ["tasks:\n  - id: call\n    uri: '{{ secret(\"URI\") }}'\n", true],
];
for (const [source, expected] of SOURCES) {
  Deno.test(`planFlow() mentionsSecrets is ${expected} for ${JSON.stringify(source)}`, () => {
    assertEquals(planFlow({ ...plan().flow, source }).mentionsSecrets, expected);
  });
}
