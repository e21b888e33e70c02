import { assertEquals, assertThrows } from "@std/assert";
import type { CellKind, Column } from "../../../src/integrations/jdbc/cells.ts";
import { IonFile } from "../../../src/integrations/jdbc/ion_file.ts";
import { DomainError } from "../../../src/model/errors.ts";
import { withTempDir } from "../../support/temp_dir.ts";

/** A kind, the text of a cell, and its Ion text. */
const CELLS: readonly (readonly [kind: CellKind, text: string | null, ion: string])[] = [
  ["integer", "-7", "-7"],
  ["decimal", "12.50", "12.50"],
  ["decimal", "-0.5", "-0.5"],
  ["decimal", "NaN", "nan"],
  ["decimal", "-Infinity", "-inf"],
  ["float", "1.5", "1.5e0"],
  ["float", "1e+20", "1e20"],
  ["boolean", "t", "true"],
  ["boolean", "f", "false"],
  ["text", 'é "\\\n\t\r\u0001\u007f 😀', '"é \\"\\\\\\n\\t\\r\\u0001\u007f 😀"'],
  ["text", "", '""'],
  ["text", null, "null"],
  ["json", '{"a":\n [1.50]}', '{"a":  [1.50]}'],
  ["date", "2024-02-29", "2024-02-29"],
  ["date", "infinity", '"infinity"'],
  ["date", "0044-03-15 BC", '"0044-03-15 BC"'],
  ["timestamp", "2024-02-29 10:11:12.5", '"2024-02-29T10:11:12.5"'],
  ["instant", "2024-02-29 10:11:12.123456+00", "2024-02-29T10:11:12.123456Z"],
  ["instant", "2024-02-29 10:11:12+02", "2024-02-29T10:11:12+02:00"],
  ["instant", "2024-02-29 10:11:12-11", "2024-02-29T10:11:12-11:00"],
  ["instant", "2024-02-29 10:11:12+05:30", "2024-02-29T10:11:12+05:30"],
  ["instant", "0044-03-15 10:11:12+00 BC", '"0044-03-15 10:11:12+00 BC"'],
  ["instant", "infinity", '"infinity"'],
  ["bytes", "\\x00ff", "{{AP8=}}"],
];

const columns: readonly Column[] = CELLS.map(([kind], index) => ({ name: `c${index}`, kind }));
const LINE = `{${CELLS.map(([, , ion], index) => `"c${index}":${ion}`).join(",")}}\n`;

/** A row of the PostgreSQL protocol, after some other bytes. */
function frameOf(cells: readonly (string | null)[], offset: number): Uint8Array {
  const encoder = new TextEncoder();
  const parts = cells.map((cell) => {
    const bytes = encoder.encode(cell ?? "");
    const length = new DataView(new ArrayBuffer(4));
    length.setInt32(0, cell === null ? -1 : bytes.length);
    return [...new Uint8Array(length.buffer), ...bytes];
  });
  return new Uint8Array([...new Uint8Array(offset), 0, cells.length, ...parts.flat()]);
}

async function written(write: (file: IonFile) => void): Promise<string> {
  return await withTempDir(async (folder) => {
    {
      using file = new IonFile(`${folder}/rows.ion`);
      write(file);
    }
    return await Deno.readTextFile(`${folder}/rows.ion`);
  });
}

Deno.test("IonFile.row() and IonFile.frame() write each kind of cell alike", async () => {
  const cells = CELLS.map(([, text]) => text);
  const text = await written((file) => {
    file.columns(columns);
    file.row(cells);
    const frame = frameOf(cells, 9);
    file.frame(frame, 9, frame.length);
    assertEquals(file.rowCount, 2);
  });
  const [row, frame] = text.split("\n");
  assertEquals([`${row}\n`, `${frame}\n`], [LINE, LINE]);
});

Deno.test("IonFile writes the last of columns with the same name, and rows without columns", async () => {
  const twice: readonly Column[] = [{ name: "a", kind: "integer" }, { name: "a", kind: "text" }];
  const text = await written((file) => {
    file.columns(twice);
    file.row(["1", "x"]);
    file.frame(frameOf(["1", "x"], 0), 0, 12);
    file.columns([]);
    file.frame(frameOf([], 0), 0, 2);
  });
  assertEquals(text, '{"a":"x"}\n{"a":"x"}\n{}\n');
});

Deno.test("IonFile writes cells and rows that are larger than its buffer", async () => {
  const long = '"'.repeat(900_000);
  const text = await written((file) => {
    file.columns([{ name: "a", kind: "text" }]);
    for (let count = 0; count < 3; count++) file.frame(frameOf([long], 0), 0, long.length + 6);
    file.row([long]);
  });
  const line = `{"a":"${'\\"'.repeat(900_000)}"}\n`;
  assertEquals(text === line.repeat(4), true);
});

Deno.test("IonFile writes no more bytes than it may, and fails", async () => {
  await withTempDir(async (folder) => {
    const path = `${folder}/rows.ion`, cell = "x".repeat(1_000_000);
    const write = () => {
      using file = new IonFile(path, 5_000_000);
      file.columns([{ name: "a", kind: "text" }]);
      for (let count = 0; count < 10; count++) file.row([cell]);
    };
    assertThrows(write, DomainError, "it is larger than 5000000 bytes");
    assertEquals((await Deno.stat(path)).size <= 5_000_000, true);
  });
});
