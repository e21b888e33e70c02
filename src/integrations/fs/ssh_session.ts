/** Commands of a session of SSH. Loaded by the first task that uses it. */
import { isJsonObject } from "../../base/json.ts";
import { shellWord } from "../../base/text/shell_word.ts";
import type { MachineTaskContext } from "../../model/tasks/machine_task.ts";
import { optionalText, type TaskContext } from "../../model/tasks/task_definition.ts";
import { openProxy, socketOf } from "./proxy_command.ts";
import { type RunningCommand, startCommand, stopCommand, withSshClient } from "./ssh_client.ts";

/** A longer line is passed on in parts. */
const MAX_LINE_CHARS = 1024 * 1024;

/** Takes a line of the output; the next one waits for a promise that it returns. */
type OnLine<Rest extends unknown[]> = (line: string, ...rest: Rest) => Promise<void> | undefined;

/** Runs the commands of the properties; returns the exit code. @throws Error with host and words of the server */
export async function runCommands(
  context: MachineTaskContext,
  onLine: OnLine<[isError: boolean]>,
): Promise<number> {
  const { username, password, authMethod, privateKey, privateKeyPassphrase } = context.properties;
  const user = authMethod === "PUBLIC_KEY"
    ? { privateKey: optionalText(privateKey), passphrase: optionalText(privateKeyPassphrase) }
    : { password: optionalText(password) };
  const command = optionalText(context.properties.proxyCommand);
  await using proxy = command === undefined ? undefined : await openProxy(context, command);
  using stopping = new Stopping(context.signal);
  return await withSshClient("ssh", context, {
    socket: proxy && socketOf(proxy),
    user: { username: optionalText(username), ...user },
    signal: stopping.closed,
    work: async (client) => {
      const running = await startCommand(client, scriptOf(context));
      const { channel, exitCode } = running;
      stopping.command = running;
      await Promise.all([
        readLines(channel, (line) => onLine(line, false)),
        readLines(channel.stderr, (line) => onLine(line, true)),
      ]);
      return await exitCode;
    },
  });
}

/** Stops the command before the connection is closed, which alone would not end it. */
class Stopping implements Disposable {
  command: RunningCommand | undefined;
  readonly #signal: AbortSignal;
  readonly #closing = new AbortController();

  constructor(signal: AbortSignal) {
    this.#signal = signal;
    signal.addEventListener("abort", this.#stop, { once: true });
    if (signal.aborted) void this.#stop();
  }

  /** Aborted when the connection must be closed. */
  get closed(): AbortSignal {
    return this.#closing.signal;
  }

  readonly #stop = async (): Promise<void> => {
    if (this.command) await stopCommand(this.command);
    this.#closing.abort(this.#signal.reason);
  };

  [Symbol.dispose](): void {
    this.#signal.removeEventListener("abort", this.#stop);
  }
}

/** Servers refuse variables of clients by default, so the script sets them. */
function scriptOf({ properties: { commands, env } }: TaskContext): string {
  const variables = env !== undefined && isJsonObject(env) ? Object.entries(env) : [];
  return [
    ...variables.map(([name, value]) => `export ${shellWord(`${name}=${value}`)}`),
    // The channel stays open: the package sends no signals after the end of the input.
    "exec < /dev/null",
    "set -e",
    ...(Array.isArray(commands) ? commands.map(String) : []),
  ].join("\n");
}

async function readLines(stream: AsyncIterable<Uint8Array>, onLine: OnLine<[]>): Promise<void> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of stream) {
    rest += decoder.decode(chunk, { stream: true });
    const lines = rest.split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) await onLine(line.replace(/\r$/, ""));
    if (rest.length > MAX_LINE_CHARS) {
      await onLine(rest);
      rest = "";
    }
  }
  if (rest !== "") await onLine(rest);
}
