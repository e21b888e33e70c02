/** Records of executions with inline task runs: what is left out is restored, and earlier records are read. */
import { assertEquals, assertLess, assertThrows } from "@std/assert";
import fc from "fast-check";
import { idPrefix } from "../../../../src/base/id.ts";
import { encodeJson } from "../../../../src/store/codec.ts";
import type {
  PackedExecution,
  PackedLogLine,
  PackedTaskRun,
} from "../../../../src/store/records/executions/execution_codec.ts";
import {
  decodeRecord,
  inlineRecordBytes,
  inlineRecordText,
} from "../../../../src/store/records/executions/inline_record.ts";

const CREATED_MS = Date.UTC(2026, 10, 20);
const ID = `${idPrefix(CREATED_MS, 7)}00000000000`;
const SUCCESS = [0, 0, 1, 0, 2, 21];
const LINE: PackedLogLine = [1, 21, 0, 0, "value 24"];

function record(
  taskRuns: PackedTaskRun[],
  logs: PackedLogLine[] = [],
  extras?: PackedExecution[8],
): PackedExecution {
  const packed: PackedExecution = [25, 1, CREATED_MS, [...SUCCESS], 0, ["env", "prod"], taskRuns, logs];
  if (extras) packed[8] = extras;
  return packed;
}

function stored(packed: PackedExecution): Uint8Array {
  return inlineRecordBytes(inlineRecordText(structuredClone(packed), ID));
}

const CASES: Readonly<Record<string, PackedExecution>> = {
  "without task runs": record([]),
  "with equal histories": record([["t", [...SUCCESS], [[...SUCCESS]], { value: "value 24" }]], [LINE], {
    l: 1,
  }),
  "with a task run of its own times": record([["t", [0, 1, 1, 2, 2, 20], [[0, 1, 1, 2, 2, 20]], 0]]),
  "with an attempt of the times of the execution": record([["t", [0, 1, 1, 2, 2, 20], [[...SUCCESS]], 0]]),
  "with several attempts": record([["t", [...SUCCESS], [[0, 0, 3, 1], [...SUCCESS], [0, 2, 2, 21, 3]], 0]]),
  "with other members of task runs": record([["t", [...SUCCESS], [], {}, null, "item", 3, { i: 5 }]]),
  "with the level of its lines": record([], [LINE, [3, 22, -1, -1, "warning"]], { l: 3 }),
  "with INFO lines": record([], [[2, 0, 0, 0, "line"]]),
  "with a level above that of its lines": record([], [LINE], { l: 4 }),
  "with the level INFO above that of its lines": record([], [LINE], { l: 2 }),
  "with a level without lines": record([], [], { l: 4 }),
  "with other rare members": record([], [LINE], { l: 1, n: 2, p: "parent" }),
  "that was created after its id": [...record([]).with(2, CREATED_MS + 5)] as PackedExecution,
  "that was created long before its id": [...record([]).with(2, 12_345)] as PackedExecution,
};

for (const [name, packed] of Object.entries(CASES)) {
  Deno.test(`decodeRecord() restores an execution ${name}`, () => {
    assertEquals(decodeRecord(stored(packed), ID), packed);
  });
}

Deno.test("decodeRecord() restores any histories and levels", () => {
  const history = fc.oneof(
    fc.constant(SUCCESS),
    fc.array(fc.nat({ max: 30 }), { minLength: 1, maxLength: 7 }),
  );
  const taskRun = fc.tuple(fc.string(), history, fc.array(history, { maxLength: 3 }), fc.constant(0));
  const line = fc.tuple(fc.nat({ max: 4 }), fc.nat(), fc.constant(0), fc.constant(0), fc.string());
  const level = fc.option(fc.constantFrom(0, 1, 3, 4), { nil: undefined });
  fc.assert(fc.property(
    fc.array(taskRun, { maxLength: 3 }),
    fc.array(line, { maxLength: 3 }),
    level,
    (taskRuns, lines, l) => {
      const packed = record(taskRuns as PackedTaskRun[], lines, l === undefined ? undefined : { l });
      const restored = decodeRecord(stored(packed), ID);
      const levelOf = ({ 7: logs, 8: extras }: PackedExecution) =>
        extras?.l ?? ((logs as PackedLogLine[]).length > 0 ? 2 : -1);
      assertEquals(levelOf(restored), levelOf(packed));
      assertEquals(restored.slice(0, 8), packed.slice(0, 8));
    },
  ));
});

Deno.test("decodeRecord() reads records of format 1, and refuses unknown ones", () => {
  for (const packed of Object.values(CASES)) assertEquals(decodeRecord(encodeJson(packed), ID), packed);
  assertThrows(() => decodeRecord(new Uint8Array([0x7f, 0x5b, 0x5d]), ID), Error, "unknown format 127");
});

Deno.test("inlineRecordBytes() of an execution with one task, five labels and a line takes at most 170 bytes", () => {
  const labels = ["env", "prod", "team", "2", "region", "region-0", "tier", "0", "customer", "49800"];
  const taskRun: PackedTaskRun = ["t", [...SUCCESS], [[...SUCCESS]], { value: "value 24" }];
  const packed = record([taskRun], [LINE], { l: 1 }).with(5, labels) as PackedExecution;
  assertLess(stored(packed).length, 171);
});
