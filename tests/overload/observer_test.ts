import { assertEquals } from "@std/assert";
import { type Outcome, outcomeOf } from "./observer.ts";

const RESPONSES: readonly (readonly [status: number, headers: string, outcome: Outcome])[] = [
  [200, "", "served"],
  [201, "", "served"],
  [429, "Retry-After: 5", "refused"],
  [503, "retry-after:10", "refused"],
  [503, "", "failed"],
  [429, "x-retry-after: 5", "failed"],
  [500, "retry-after: 5", "failed"],
  [401, "", "failed"],
];
for (const [status, headers, outcome] of RESPONSES) {
  Deno.test(`outcomeOf() ${status} with "${headers}" is ${outcome}`, () => {
    assertEquals(outcomeOf({ status, head: `HTTP/1.1 ${status} X\r\n${headers}` }), outcome);
  });
}
