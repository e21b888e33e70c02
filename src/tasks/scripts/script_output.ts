/** Converts the output of a script to log lines, outputs and metrics. */
import { type JsonObject, type JsonValue, setOwnProperty, stringifyJson } from "../../base/json.ts";
import type { LogLevel } from "../../model/flows/flow.ts";
import { MAX_OUTPUT_BYTES } from "../../model/limits.ts";
import { cutNote } from "../../model/executions/execution.ts";
import type { ProcessLine } from "../../model/ports/processes.ts";
import type { RunContext } from "../../model/ports/run_context.ts";
import { metricValue } from "../metric/metric_value.ts";
import { type GivenMetric, isControlLine, readControlLine } from "./control_line.ts";
import { missingProgramIn } from "./missing_program.ts";

/** Limit of all control lines, as a multiple of the maximum size of outputs, since later values replace earlier ones. */
const MAX_REWRITES = 100;
/** Maximum log characters after an abort: there is no backpressure any more, and the lines must fit the final commit. */
const MAX_LAST_CHARS = 20_000;
/** Estimated overhead of a stored line. */
const LINE_CHARS = 100;

/** The client libraries write log lines of these levels to the error stream. */
const ERROR_LEVELS: ReadonlySet<LogLevel> = new Set(["WARN", "ERROR"]);

const CUT =
  `Further lines are dropped: a script that was stopped may log at most ${MAX_LAST_CHARS} characters`;

/** What a line says, in the log format of a program. */
export interface ReadLine {
  readonly level: LogLevel;
  /** Empty: it is not logged. */
  readonly message: string;
  /** Counters, by name. */
  readonly counters?: ReadonlyMap<string, number>;
}

/** Reads a line in the log format of a program; `undefined` for any other line. */
export type LineReader = (text: string) => ReadLine | undefined;

/** Receives the lines of one script. */
export class ScriptOutput {
  /** Outputs of control lines, some of them encrypted; a later one replaces an earlier one. */
  readonly vars: JsonObject = {};
  /** True if it has written to the error stream: any text, or a control line with log lines of WARN or above. */
  hasErrors = false;
  /** The program that a shell has reported as missing last. */
  missingProgram: string | undefined;
  /** True if a line that the reader has read is a warning. */
  hasWarnings = false;
  readonly #context: RunContext;
  readonly #read: LineReader | undefined;
  #controlChars = 0;
  #lastChars = MAX_LAST_CHARS;

  constructor(context: RunContext, read?: LineReader) {
    this.#context = context;
    this.#read = read;
  }

  /** Processes a line; the next one must wait for a returned promise. @throws Error too many outputs, or too large ones */
  take(line: ProcessLine): Promise<void> | undefined {
    const { text, isError } = line;
    if (isControlLine(text) || isCutControlLine(line)) return this.#applyControlLine(line);
    const read = this.#read?.(text);
    if (read) return this.#applyReadLine(read);
    this.hasErrors ||= isError;
    if (isError) this.missingProgram = missingProgramIn(text) ?? this.missingProgram;
    return this.#log(isError ? "ERROR" : "INFO", shownLine(line));
  }

  /** Outputs, metrics and lines below WARN are no errors, on whichever stream they are. */
  async #applyControlLine({ text, isError, cutFromBytes }: ProcessLine): Promise<void> {
    if (cutFromBytes !== undefined) {
      throw new Error(
        `The script reports ${cutFromBytes} bytes in one line; write large results to a file`,
      );
    }
    this.#controlChars += text.length;
    if (this.#controlChars > MAX_REWRITES * MAX_OUTPUT_BYTES) {
      throw new Error("The script reports too many outputs; write large results to a file");
    }
    try {
      const { outputs, encryptedOutputs, metrics, logs } = readControlLine(text);
      for (const [name, value] of Object.entries(outputs)) setOwnProperty(this.vars, name, value);
      for (const [name, value] of Object.entries(encryptedOutputs)) {
        setOwnProperty(this.vars, name, this.#sealed(value));
      }
      for (const metric of metrics) await this.#report(metric);
      for (const { level, message } of logs) {
        this.hasErrors ||= isError && ERROR_LEVELS.has(level);
        await this.#log(level, message);
      }
    } catch (error) {
      // Scripts print arbitrary text: an invalid control line is logged and ignored.
      this.hasErrors ||= isError;
      await this.#log("WARN", (error as Error).message);
    }
  }

  #applyReadLine({ level, message, counters = new Map() }: ReadLine): Promise<void> | undefined {
    this.hasWarnings ||= level === "WARN";
    for (const [name, value] of counters) this.#context.metric({ name, type: "counter", value });
    return message === "" ? undefined : this.#log(level, message);
  }

  async #report({ name, type, value, tags }: GivenMetric): Promise<void> {
    try {
      this.#context.metric({ name, type, value: metricValue(name, type, value), tags });
    } catch (error) {
      await this.#log("WARN", (error as Error).message);
    }
  }

  #sealed(value: JsonValue): JsonObject {
    const text = typeof value === "string" ? value : stringifyJson(value);
    return this.#context.ports.cipher.seal(this.#context, text);
  }

  #log(level: LogLevel, message: string): Promise<void> | undefined {
    if (this.#context.signal.aborted) this.#logLast(level, message);
    else this.#context.log(level, message);
    return this.#context.logged();
  }

  /** A line that is too long is dropped as a whole: a secret at the place of a cut would not be masked. */
  #logLast(level: LogLevel, message: string): void {
    if (this.#lastChars < 0) return;
    this.#lastChars -= message.length + LINE_CHARS;
    if (this.#lastChars < 0) this.#context.log("WARN", CUT);
    else this.#context.log(level, message);
  }
}

/** A control line whose end was cut: its values are lost. */
function isCutControlLine({ text, cutFromBytes }: ProcessLine): boolean {
  return cutFromBytes !== undefined && /^\s*::\{/.test(text);
}

/** Not cut here: the log masks secrets before it cuts. */
function shownLine({ text, cutFromBytes }: ProcessLine): string {
  return cutFromBytes === undefined ? text : text + cutNote(cutFromBytes, "bytes");
}
