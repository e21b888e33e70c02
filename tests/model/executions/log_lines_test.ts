/** Lines of the log of an execution: long messages. */
import { assertEquals } from "@std/assert";
import { jsonBytes } from "../../../src/base/json_size.ts";
import { cutLogMessage, logLinesOf } from "../../../src/model/executions/execution.ts";
import { MAX_LOG_CHUNK_BYTES, MAX_LOG_MESSAGE_BYTES } from "../../../src/model/limits.ts";

const NOTE = / … \(cut, (\d+) characters\)$/;

interface LongMessage {
  readonly name: string;
  readonly message: string;
  /** Characters of the lines. */
  readonly lengths: readonly number[];
  readonly isCut?: true;
}

const MESSAGES: readonly LongMessage[] = [
  { name: "an empty message", message: "", lengths: [0] },
  { name: "a message of one line", message: "a".repeat(10_240), lengths: [10_240] },
  { name: "one character more", message: "a".repeat(10_241), lengths: [10_240, 1] },
  { name: "11 KiB", message: "a".repeat(11_264), lengths: [10_240, 1_024] },
  { name: "30,000 characters", message: "a\n".repeat(15_000), lengths: [10_240, 10_240, 9_520] },
  { name: "three bytes a character", message: "漢".repeat(21_000), lengths: [10_240, 10_240, 520] },
  { name: "control characters", message: "\x01".repeat(10_000), lengths: [8_192, 1_808] },
  { name: "pairs of surrogates", message: `a${"😀".repeat(5_200)}`, lengths: [10_239, 162] },
  {
    name: "the longest message",
    message: "a".repeat(65_536),
    lengths: [...new Array(6).fill(10_240), 4_096],
  },
  {
    name: "one character more than the longest message",
    message: "a".repeat(65_537),
    lengths: [...new Array(6).fill(10_240), 4_094],
    isCut: true,
  },
  {
    name: "a million control characters",
    message: "\0".repeat(1_000_000),
    lengths: [8_192, 2_753],
    isCut: true,
  },
];

for (const { name, message, lengths, isCut } of MESSAGES) {
  Deno.test(`logLinesOf() of ${name}: ${lengths.length} lines, each a millisecond later`, () => {
    const line = { level: "INFO", at: 1_000, taskRun: 2, attempt: 0, message } as const;
    const lines = logLinesOf(line);
    assertEquals(lines.map((each) => each.message.length), [...lengths]);
    const others = lines.map((each) => ({ ...each, message: "" }));
    const further = (index: number) => ({ at: 1_000 + index, isContinuation: true } as const);
    assertEquals(others, lines.map((_, index) => ({ ...line, message: "", ...index > 0 && further(index) })));
    for (const each of lines) assertEquals(jsonBytes(each.message) <= MAX_LOG_CHUNK_BYTES, true);
    const text = lines.map((each) => each.message).join("");
    assertEquals(NOTE.exec(text)?.[1], isCut && String(message.length));
    assertEquals(message.startsWith(text.replace(NOTE, "")), true);
    assertEquals(isCut || text === message, true);
    const cut = cutLogMessage(message);
    assertEquals([cut, cutLogMessage(cut), jsonBytes(cut) <= MAX_LOG_MESSAGE_BYTES], [text, text, true]);
  });
}
