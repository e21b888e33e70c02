/** The server's own log: one line per event, text or JSON. Log lines of executions are stored elsewhere. */
import { type Clock, toIso } from "./time/clock.ts";

/** Severity of a line, most severe first. */
export const LOG_LEVELS = ["error", "warn", "info", "debug"] as const;

/** One of {@link LOG_LEVELS}. */
export type ServerLogLevel = typeof LOG_LEVELS[number];

/** Fields of a line; never a secret, a webhook key or a credential. */
export type LogFields = Readonly<Record<string, string | number | boolean | undefined>>;

/** Level, format and destination of the lines. */
interface LogOptions {
  readonly level: ServerLogLevel;
  readonly format: "text" | "json";
  readonly clock: Clock;
  /** Receives each line, without a line break. */
  readonly write: (line: string, level: ServerLogLevel) => void;
}

/** Time between two lines of the same repeated message. */
const REPEAT_MS = 60_000;

interface Repeated {
  readonly loggedMs: number;
  omitted: number;
}

/** Writes lines of a level or more severe. */
export class Logger {
  readonly #options: LogOptions;
  readonly #threshold: number;
  readonly #repeated = new Map<string, Repeated>();

  constructor(options: LogOptions) {
    this.#options = options;
    this.#threshold = LOG_LEVELS.indexOf(options.level);
  }

  /** A failure that needs attention. */
  error(message: string, fields?: LogFields): void {
    this.#log("error", message, fields);
  }

  /** Unexpected, but handled. */
  warn(message: string, fields?: LogFields): void {
    this.#log("warn", message, fields);
  }

  /** A fact of normal operation. */
  info(message: string, fields?: LogFields): void {
    this.#log("info", message, fields);
  }

  /** A detail, off by default. */
  debug(message: string, fields?: LogFields): void {
    this.#log("debug", message, fields);
  }

  /** A fault that is met again and again, by a constant message: at most one line a minute, which counts the omitted ones. */
  repeated(level: ServerLogLevel, message: string, fields?: LogFields): void {
    const nowMs = this.#options.clock.monotonicMs();
    const last = this.#repeated.get(message);
    if (last && nowMs - last.loggedMs < REPEAT_MS) return void last.omitted++;
    this.#repeated.set(message, { loggedMs: nowMs, omitted: 0 });
    this.#log(level, message, last && last.omitted > 0 ? { ...fields, omitted: last.omitted } : fields);
  }

  /** True when lines of that level are written; hot paths check this before they build a line. */
  isEnabled(level: ServerLogLevel): boolean {
    return LOG_LEVELS.indexOf(level) <= this.#threshold;
  }

  #log(level: ServerLogLevel, message: string, fields: LogFields = {}): void {
    if (!this.isEnabled(level)) return;
    const time = toIso(this.#options.clock.now());
    if (this.#options.format === "json") {
      this.#options.write(JSON.stringify({ time, level, message, ...fields }), level);
      return;
    }
    let line = `${time} ${LEVEL_NAMES[level]} ${oneLine(message)}`;
    for (const name in fields) {
      const value = fields[name];
      if (value !== undefined) line += ` ${name}=${typeof value === "string" ? quoteIfNeeded(value) : value}`;
    }
    this.#options.write(line, level);
  }
}

/** A logger that writes nothing. */
export function silentLogger(clock: Clock): Logger {
  return new Logger({ level: "error", format: "text", clock, write: () => {} });
}

const LEVEL_NAMES: Readonly<Record<ServerLogLevel, string>> = {
  error: "ERROR",
  warn: "WARN ",
  info: "INFO ",
  debug: "DEBUG",
};
/** One test for the usual plain text. Control characters could forge lines. */
// deno-lint-ignore no-control-regex
const NOT_PLAIN = /[\s"=\u0000-\u001f\u007f]/;
// deno-lint-ignore no-control-regex
const CONTROL = /[\u0000-\u001f\u007f]/g;

function quoteIfNeeded(text: string): string {
  return text === "" || NOT_PLAIN.test(text) ? JSON.stringify(text) : text;
}

function oneLine(text: string): string {
  if (!NOT_PLAIN.test(text)) return text;
  return text.replace(CONTROL, (character) => JSON.stringify(character).slice(1, -1));
}
