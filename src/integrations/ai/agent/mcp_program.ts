/**
 * Tools of MCP servers that are programs: each message is a line of their input and output.
 * https://modelcontextprotocol.io/specification/2025-06-18/basic/transports#stdio
 */
import { systemClock } from "../../../base/time/clock.ts";
import { readDuration } from "../../../base/time/duration.ts";
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  stringifyJson,
  tryParseJson,
} from "../../../base/json.ts";
import type { RunningProgram } from "../../../model/tasks/machine_task.ts";
import { DEFAULT_TIMEOUT_MS, McpClient, type Transport } from "./mcp_client.ts";
import { textsByName, toolsOfServer } from "./mcp_tools.ts";
import type { ToolOpener } from "./tool.ts";

/** Starts the program or the container of a typed part, and lists its tools. */
export const openProgramTools: ToolOpener = async (context, part) => {
  const { image, binds, timeout } = part;
  const command = textsOf(part.command);
  const program = await context.openProgram({
    command,
    env: textsByName(part.env),
    ...image !== undefined && { container: { image: String(image), volumes: textsOf(binds) } },
    wayOut: "install it on the machine of the server, or use `ai.tool.DockerMcpClient`",
  });
  const name = String(image ?? command[0]);
  const transport = new ProgramTransport(program, name, readDuration(timeout) ?? DEFAULT_TIMEOUT_MS);
  return await toolsOfServer(await McpClient.begin(transport, name), part);
};

function textsOf(value: JsonValue | undefined): string[] {
  return Array.isArray(value) ? value.map(String) : [];
}

class ProgramTransport implements Transport {
  readonly #program: RunningProgram;
  readonly #name: string;
  readonly #timeoutMs: number;

  constructor(program: RunningProgram, name: string, timeoutMs: number) {
    this.#program = program;
    this.#name = name;
    this.#timeoutMs = timeoutMs;
  }

  /** @inheritdoc */
  async send(message: JsonObject): Promise<JsonObject | undefined> {
    const late = Promise.withResolvers<never>();
    const cancel = systemClock.setTimer(
      this.#timeoutMs,
      () => late.reject(new Error(`Cannot use "${this.#name}": no response within ${this.#timeoutMs} ms`)),
    );
    try {
      return await Promise.race([this.#exchange(message), late.promise]);
    } finally {
      cancel();
    }
  }

  /** Ends the program. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#program[Symbol.asyncDispose]();
  }

  /** Requests of the server are not served. Lines that are no messages, such as greetings, are skipped. */
  async #exchange(message: JsonObject): Promise<JsonObject | undefined> {
    await this.#program.send(stringifyJson(message));
    if (message.id === undefined) return undefined;
    while (true) {
      const response = tryParseJson(await this.#program.receive());
      if (isJsonObject(response) && response.id === message.id && response.method === undefined) {
        return response;
      }
    }
  }
}
