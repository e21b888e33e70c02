/** Programs that defined types use while they run. */
import { systemClock } from "../../base/time/clock.ts";
import type { LogLevel } from "../../model/flows/flow.ts";
import type { ProcessEnd, ProcessLine, ProcessPlace } from "../../model/ports/processes.ts";
import type { OpenedProgram, RunningProgram } from "../../model/tasks/machine_task.ts";
import { checkProgram, type ProgramOwner } from "./work_programs.ts";

/** Time to end after its input has ended. */
const CLOSE_MS = 1_000;
/** Of the error output, its end is part of the message of an unexpected end. */
const MAX_SHOWN_CHARS = 500;

type OpenOwner = ProgramOwner & { log(level: LogLevel, message: string): void };

/** Starts a program as a script starts. @throws Error the policy forbids it, or the program is missing */
export async function openProgram(
  owner: OpenOwner,
  workingDirectory: string,
  program: OpenedProgram,
): Promise<RunningProgram> {
  const { command, container, env = {}, wayOut } = program;
  const { signal } = owner;
  const shared = { env: new Map(Object.entries(env)), workingDirectory };
  if (!container) await checkProgram(owner, { ...shared, signal }, { command, wayOut });
  const place: ProcessPlace = container
    ? { type: "container", keepsEntryPoint: true, keepsDirectory: true, ...container }
    : { type: "process" };
  const name = container?.image ?? command[0] ?? "";
  return new Program(name, owner, (parts) =>
    owner.ports.processes.run(owner, {
      ...shared,
      ...parts,
      command,
      place,
    }));
}

interface ProgramParts {
  readonly input: ReadableStream<Uint8Array<ArrayBuffer>>;
  readonly signal: AbortSignal;
  onLine(line: ProcessLine): Promise<void> | void;
}

/** Lines wait in streams without a queue, so that a program that writes much is held up. */
class Program implements RunningProgram {
  readonly #name: string;
  readonly #owner: OpenOwner;
  readonly #stop = new AbortController();
  readonly #input: WritableStreamDefaultWriter<string>;
  readonly #output: ReadableStreamDefaultReader<ProcessLine>;
  readonly #lines: WritableStreamDefaultWriter<ProcessLine>;
  readonly #ended: Promise<Error>;
  #errors = "";

  constructor(name: string, owner: OpenOwner, run: (parts: ProgramParts) => Promise<ProcessEnd>) {
    this.#name = name;
    this.#owner = owner;
    const input = new TextEncoderStream(), output = new TransformStream<ProcessLine>();
    this.#input = input.writable.getWriter();
    this.#output = output.readable.getReader();
    this.#lines = output.writable.getWriter();
    const parts: ProgramParts = {
      input: input.readable,
      signal: AbortSignal.any([owner.signal, this.#stop.signal]),
      onLine: (line) => this.#take(line),
    };
    this.#ended = this.#run(() => run(parts));
  }

  /** @inheritdoc */
  async send(line: string): Promise<void> {
    const sent = this.#input.write(`${line}\n`);
    const end = await Promise.race([sent.then(() => undefined, () => this.#ended), this.#ended]);
    if (end) throw end;
  }

  /** @inheritdoc */
  async receive(): Promise<string> {
    const { done, value } = await this.#output.read();
    if (done) throw await this.#ended;
    if (value.cutFromBytes === undefined) return value.text;
    throw new Error(`Cannot use "${this.#name}": it wrote a line of ${value.cutFromBytes} bytes`);
  }

  /** Closes its input, by which programs end of themselves; stops it if it does not. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#input.close().catch(() => {});
    this.#output.cancel().catch(() => {});
    const cancel = systemClock.setTimer(CLOSE_MS, () => this.#stop.abort());
    await this.#ended;
    cancel();
  }

  async #run(run: () => Promise<ProcessEnd>): Promise<Error> {
    try {
      const { exitCode, reason = this.#errors.trim() } = await run();
      return new Error(
        `Cannot use "${this.#name}": it ended with exit code ${exitCode}${reason && `: ${reason}`}`,
      );
    } catch (error) {
      return error as Error;
    } finally {
      this.#lines.close().catch(() => {});
      this.#input.abort().catch(() => {});
    }
  }

  async #take(line: ProcessLine): Promise<void> {
    // Nothing is read any more once it was disposed of.
    if (!line.isError) return await this.#lines.write(line).catch(() => {});
    this.#errors = `${this.#errors}${line.text}\n`.slice(-MAX_SHOWN_CHARS);
    this.#owner.log("DEBUG", line.text);
  }
}
