/** Evaluations that wait for being stored. */
import { assertEquals, assertRejects } from "@std/assert";
import { DomainError } from "../../../src/model/errors.ts";
import type { TriggerKey } from "../../../src/model/flows/flow.ts";
import { EvaluationBuffer } from "../../../src/services/triggers/evaluation_buffer.ts";

/** A buffer whose trigger `large` cannot be stored, for that reason. */
function bufferWith(refusal: DomainError) {
  const stored: string[] = [], lines: unknown[] = [];
  const update = (_tenant: string, { triggerId }: TriggerKey) => {
    stored.push(triggerId);
    return triggerId === "large" ? Promise.reject(refusal) : Promise.resolve(undefined);
  };
  const warn = (message: string, fields?: object) => void lines.push([message, fields]);
  const buffer = new EvaluationBuffer({ update }, { warn });
  for (const triggerId of ["large", "small"]) {
    const key = { namespace: "demo", flowId: "f", triggerId };
    buffer.add("main", key, { at: 1, outcome: "SKIPPED", reason: "no" });
  }
  return { buffer, stored, lines };
}

Deno.test("EvaluationBuffer.flush() drops evaluations that the database refuses as too large, and says so once", async () => {
  const { buffer, stored, lines } = bufferWith(new DomainError("too_large", "Cannot write: it is too large"));
  await buffer.flush();
  await buffer.flush();
  assertEquals(stored.filter((id) => id === "large").length, 1);
  const fields = { trigger: "main/demo/f/large", reason: "Cannot write: it is too large" };
  assertEquals(lines, [["Dropped evaluations of a trigger", fields]]);
});

Deno.test("EvaluationBuffer.flush() keeps evaluations after any other refusal", async () => {
  const { buffer, stored, lines } = bufferWith(new DomainError("unavailable", "the disk is full"));
  await assertRejects(() => buffer.flush(), DomainError, "the disk is full");
  await assertRejects(() => buffer.flush(), DomainError, "the disk is full");
  assertEquals([stored.filter((id) => id === "large").length, lines], [2, []]);
});
