/** Programs that defined types use while they run. */
import { systemClock } from "../../base/time/clock.ts";
import type { ProcessEnd, ProcessLine, ProcessPlace } from "../../model/ports/processes.ts";
import type { RunContext } from "../../model/ports/run_context.ts";
import type {
  OpenedProgram,
  ProgramCommand,
  ProgramPipe,
  RunningProgram,
} from "../../model/tasks/machine_task.ts";
import { checkProgram, type ProgramOwner } from "./work_programs.ts";

/** Time to end after its input has ended. */
const CLOSE_MS = 1_000;
/** Of the error output, its end is part of the message of an unexpected end. */
const MAX_SHOWN_CHARS = 500;

const encoder = new TextEncoder();

type OpenOwner = ProgramOwner & Pick<RunContext, "log"> & Partial<Pick<RunContext, "logged">>;

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
  return new LineProgram(name, owner, ({ take, ...parts }) =>
    owner.ports.processes.run(owner, {
      ...shared,
      ...parts,
      onLine: (line) => line.isError ? parts.onLine(line) : take(line),
      command,
      place,
    }));
}

/** As {@link openProgram}, for a program of this machine that reads and writes bytes. */
export async function pipeProgram(
  owner: OpenOwner,
  workingDirectory: string,
  { command, env = {}, wayOut }: ProgramCommand,
): Promise<ProgramPipe> {
  const shared = { env: new Map(Object.entries(env)), workingDirectory };
  await checkProgram(owner, { ...shared, signal: owner.signal }, { command, wayOut });
  return new ByteProgram(
    command[0] ?? "",
    owner,
    ({ take, ...parts }) =>
      owner.ports.processes.run(owner, {
        ...shared,
        ...parts,
        command,
        onOutput: take,
        place: { type: "process" },
      }),
  );
}

interface ProgramParts<T> {
  readonly input: ReadableStream<Uint8Array<ArrayBuffer>>;
  readonly signal: AbortSignal;
  /** Takes a line of the error output. */
  onLine(line: ProcessLine): Promise<void> | undefined;
  /** Takes a part of the output. */
  take(part: T): Promise<void>;
}

/** What it writes waits in a stream without a queue, so that a program that writes much is held up. */
class Program<T> implements AsyncDisposable {
  protected readonly name: string;
  readonly #owner: OpenOwner;
  readonly #stop = new AbortController();
  readonly #input: WritableStreamDefaultWriter<Uint8Array<ArrayBuffer>>;
  readonly #output: ReadableStreamDefaultReader<T>;
  readonly #parts: WritableStreamDefaultWriter<T>;
  readonly #ended: Promise<Error>;
  #errors = "";

  constructor(name: string, owner: OpenOwner, run: (parts: ProgramParts<T>) => Promise<ProcessEnd>) {
    this.name = name;
    this.#owner = owner;
    const input = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>();
    const output = new TransformStream<T, T>();
    this.#input = input.writable.getWriter();
    this.#output = output.readable.getReader();
    this.#parts = output.writable.getWriter();
    const parts: ProgramParts<T> = {
      input: input.readable,
      signal: AbortSignal.any([owner.signal, this.#stop.signal]),
      onLine: (line) => this.#note(line),
      // Nothing is read any more once it was disposed of.
      take: (part) => this.#parts.write(part).catch(() => {}),
    };
    this.#ended = this.#run(() => run(parts));
  }

  /** @throws Error it has ended */
  protected async write(bytes: Uint8Array): Promise<void> {
    const sent = this.#input.write(bytes.slice());
    const end = await Promise.race([sent.then(() => undefined, () => this.#ended), this.#ended]);
    if (end) throw end;
  }

  /** @throws Error it has ended */
  protected async read(): Promise<T> {
    const { done, value } = await this.#output.read();
    if (done) throw await this.#ended;
    return value;
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
        `Cannot use "${this.name}": it ended with exit code ${exitCode}${reason && `: ${reason}`}`,
      );
    } catch (error) {
      return error as Error;
    } finally {
      this.#parts.close().catch(() => {});
      this.#input.abort().catch(() => {});
    }
  }

  #note({ text }: ProcessLine): Promise<void> | undefined {
    this.#errors = `${this.#errors}${text}\n`.slice(-MAX_SHOWN_CHARS);
    this.#owner.log("DEBUG", text);
    return this.#owner.logged?.();
  }
}

class LineProgram extends Program<ProcessLine> implements RunningProgram {
  /** @inheritdoc */
  async send(line: string): Promise<void> {
    await this.write(encoder.encode(`${line}\n`));
  }

  /** @inheritdoc */
  async receive(): Promise<string> {
    const { text, cutFromBytes } = await this.read();
    if (cutFromBytes === undefined) return text;
    throw new Error(`Cannot use "${this.name}": it wrote a line of ${cutFromBytes} bytes`);
  }
}

class ByteProgram extends Program<Uint8Array> implements ProgramPipe {
  /** @inheritdoc */
  async send(bytes: Uint8Array): Promise<void> {
    await this.write(bytes);
  }

  /** @inheritdoc */
  async receive(): Promise<Uint8Array> {
    return await this.read();
  }
}
