import { assertEquals, assertLess } from "@std/assert";
import { IdSource } from "../../../../src/base/id.ts";
import {
  durationOf,
  encodeRow,
  hashLabel,
  hashText,
  ROW_BYTES,
  type RowFacts,
  START_DOUBLE,
} from "../../../../src/store/catalog/rows/row.ts";
import {
  columnsOf,
  imageOf,
  readForm,
  readSummary,
  SUMMARY_BYTES,
} from "../../../../src/store/catalog/blocks/block_image.ts";
import { mergeRows, type RowBlock, wordsOf } from "../../../../src/store/catalog/rows/row_block.ts";
import type { RowColumns } from "../../../../src/store/catalog/rows/row_columns.ts";
import { summarize } from "../../../../src/store/catalog/rows/summary.ts";
import { FAKE_START } from "../../../support/fakes/fake_clock.ts";

const DAY_MS = 86_400_000;
const ids = new IdSource();

function blockOf(count: number, facts: (index: number) => Partial<RowFacts>) {
  const rows = Array.from({ length: count }, (_, index) =>
    wordsOf(encodeRow({
      id: ids.next(FAKE_START + index),
      flowNo: index,
      startMs: FAKE_START + index,
      durationMs: index,
      state: "SUCCESS",
      kind: "NORMAL",
      labels: [],
      ...facts(index),
    })));
  return mergeRows(rows);
}

const CASES: Record<string, (index: number) => Partial<RowFacts>> = {
  "plain rows": () => ({}),
  "flow numbers above 8 bits": (index) => ({ flowNo: 250 + index }),
  "flow numbers above 16 bits": (index) => ({ flowNo: 65_530 + index }),
  "starts years apart": (index) => ({ startMs: FAKE_START + index * 400 * DAY_MS }),
  "starts between milliseconds": (index) => ({ startMs: FAKE_START + index / 4 }),
  "open and very long durations": (index) => ({ durationMs: index % 2 ? undefined : index * 100 * DAY_MS }),
};

/** The columns as a column file holds them. */
function filed(block: RowBlock): RowColumns {
  const { hot, cold } = imageOf(summarize(block), block.columns);
  return columnsOf(readSummary(hot), readForm(hot), {
    bytes: hot.slice(SUMMARY_BYTES),
    read: (from, length) => cold.slice(from, from + length),
  });
}

for (const [name, facts] of Object.entries(CASES)) {
  Deno.test(`columnsOf() gives the columns of imageOf(): ${name}`, () => {
    const labels = [{ key: "env", value: "prod" }];
    const block = blockOf(
      20,
      (index) => ({ labels, triggerExecutionId: `parent-${index}`, ...facts(index) }),
    );
    const { columns } = block;
    const read = filed(block);
    for (let row = 0; row < 20; row++) {
      assertEquals(read.idAt(row), columns.idAt(row));
      assertEquals(read.startAt(row), columns.startAt(row));
      assertEquals(read.durationAt(row), columns.durationAt(row));
    }
    assertEquals([read.flows, read.facts], [columns.flows, columns.facts]);
    assertEquals([read.starts, read.ids, read.idsOnce], [columns.starts, columns.ids, columns.idsOnce]);
    assertEquals(
      [read.labels, read.triggers, read.triggerChecks],
      [columns.labels, columns.triggers, columns.triggerChecks],
    );
  });

  Deno.test(`RowColumns.of() holds the facts of the rows: ${name}`, () => {
    const block = blockOf(20, facts);
    const { columns } = block;
    for (let row = 0; row < 20; row++) {
      assertEquals(columns.idAt(row), block.idAt(row));
      assertEquals(columns.startAt(row), block.doubles[row * 7 + START_DOUBLE]);
      assertEquals(columns.durationAt(row), durationOf(block.words, row));
      assertEquals(columns.flows[row], block.words[row * 14 + 4]);
      assertEquals(columns.find(block.words, row * 14), row);
    }
  });
}

Deno.test("RowColumns.of() stores as many label words as the longest row uses, and triggers only if there are children", () => {
  const labels = [{ key: "env", value: "prod" }, { key: "team", value: "a" }];
  const { columns } = blockOf(3, (index) => ({
    labels: labels.slice(0, index),
    ...(index === 1 ? { triggerExecutionId: "parent" } : {}),
  }));
  const [env, team] = labels.map(hashLabel);
  assertEquals(columns.labelSlots, 2);
  assertEquals([...columns.labels], [0, 0, env, 0, env, team]);
  assertEquals([...columns.triggers], [0, hashText("parent"), 0]);
});

Deno.test("RowColumns.memoryBytes of a full block without labels is about half of the stored size", () => {
  const count = 1_170;
  const { columns } = blockOf(count, () => ({}));
  assertLess(columns.memoryBytes, count * ROW_BYTES * 0.55);
});

Deno.test("RowColumns.pick() copies the given rows", () => {
  const { columns } = blockOf(6, (index) => ({
    labels: [{ key: "n", value: String(index) }],
    triggerExecutionId: `parent-${index}`,
  }));
  const picked = columns.pick([1, 4]);
  assertEquals([picked.count, picked.idAt(0), picked.idAt(1)], [2, columns.idAt(1), columns.idAt(4)]);
  assertEquals([picked.startAt(1), picked.durationAt(1)], [columns.startAt(4), columns.durationAt(4)]);
  assertEquals([...picked.flows], [1, 4]);
  assertEquals([...picked.labels], [columns.labels[1], columns.labels[4]]);
  assertEquals([...picked.triggers], [columns.triggers[1], columns.triggers[4]]);
  assertEquals(columns.pick([]).count, 0);
});
