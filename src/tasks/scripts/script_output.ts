/** What the lines of a script become: log lines, outputs, metrics. */
import { type JsonObject, type JsonValue, setOwnProperty, stringifyJson } from "../../base/json.ts";
import type { LogLevel } from "../../model/flows/flow.ts";
import { MAX_LOG_LINE_CHARS, MAX_OUTPUT_BYTES } from "../../model/limits.ts";
import type { ProcessLine } from "../../model/ports/processes.ts";
import type { RunContext } from "../../model/ports/run_context.ts";
import { isControlLine, readControlLine } from "./control_line.ts";

/** Control lines that may replace each other's outputs: in all as many characters as this many full outputs. */
const MAX_REWRITES = 100;
/** What one that was told to stop may still log: nothing makes it wait any more, and the end of its task is one commit. */
const MAX_LAST_CHARS = 20_000;
/** What a stored line has beside its text. */
const LINE_CHARS = 100;

const CUT =
  `Further lines are left out: after it is told to stop, a script logs ${MAX_LAST_CHARS} characters at the most`;

/** Takes the lines of one script. */
export class ScriptOutput {
  /** Outputs that control lines have given, some of them encrypted; a later one replaces an earlier one. */
  readonly vars: JsonObject = {};
  /** It has written to its error stream. */
  hasErrors = false;
  readonly #context: RunContext;
  #controlChars = 0;
  #lastChars = MAX_LAST_CHARS;

  constructor(context: RunContext) {
    this.#context = context;
  }

  /** Takes a line; when this gives a promise, the next one must wait. @throws Error: it gives too many outputs */
  take(line: ProcessLine): Promise<void> | undefined {
    const { text, isError } = line;
    if (!isError && isControlLine(text)) return this.#obey(text);
    this.hasErrors ||= isError;
    return this.#log(isError ? "ERROR" : "INFO", shownLine(line));
  }

  async #obey(text: string): Promise<void> {
    this.#controlChars += text.length;
    if (this.#controlChars > MAX_REWRITES * MAX_OUTPUT_BYTES) {
      throw new Error("The script gives too many outputs; write large results to a file");
    }
    try {
      const { outputs, encryptedOutputs, metrics, logs } = readControlLine(text);
      for (const [name, value] of Object.entries(outputs)) setOwnProperty(this.vars, name, value);
      for (const [name, value] of Object.entries(encryptedOutputs)) {
        setOwnProperty(this.vars, name, this.#sealed(value));
      }
      for (const metric of metrics) this.#context.metric(metric);
      for (const { level, message } of logs) {
        await this.#log(level, message);
      }
    } catch (error) {
      // A script may print anything; what is no control line after all is told, and the script goes on.
      await this.#log("WARN", (error as Error).message);
    }
  }

  #sealed(value: JsonValue): JsonObject {
    const text = typeof value === "string" ? value : stringifyJson(value);
    return this.#context.ports.cipher.seal(this.#context, text);
  }

  #log(level: LogLevel, message: string): Promise<void> | undefined {
    if (this.#context.signal.aborted) {
      if (this.#lastChars < 0) return;
      this.#lastChars -= Math.min(message.length, MAX_LOG_LINE_CHARS) + LINE_CHARS;
    }
    if (this.#lastChars < 0) this.#context.log("WARN", CUT);
    else this.#context.log(level, message);
    return this.#context.logged();
  }
}

function shownLine({ text, cutFromBytes }: ProcessLine): string {
  if (cutFromBytes === undefined) return text;
  const note = ` … (cut, ${cutFromBytes} bytes)`;
  return text.slice(0, MAX_LOG_LINE_CHARS - note.length) + note;
}
