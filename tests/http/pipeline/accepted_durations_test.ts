import { assertEquals } from "@std/assert";
import { acceptedDurations } from "../../../src/http/pipeline/accepted_durations.ts";

const ROWS: readonly (readonly [accept: string, form: string | undefined])[] = [
  ["application/json", undefined],
  ["application/json;durations=iso", "iso"],
  ['application/json; Durations = "ISO"; charset=utf-8', "iso"],
  ["text/csv, application/json;q=0.9;durations=seconds", "seconds"],
  ["application/json;durations=weeks", undefined],
];
for (const [accept, form] of ROWS) {
  Deno.test(`acceptedDurations() of "${accept}" is ${form}`, () => {
    assertEquals(acceptedDurations(new Headers({ accept })), form);
  });
}

Deno.test("acceptedDurations() of a request without Accept is undefined", () => {
  assertEquals(acceptedDurations(new Headers()), undefined);
});
