/** What rendering needs from the server, for executions under way and for expressions tried out on them. */
import type { Clock } from "../base/clock.ts";
import { type JsonObject, setOwnProperty } from "../base/json.ts";
import { convertOutputs } from "../flow/mod.ts";
import type { RenderDeps } from "../rendering/renderer.ts";
import type { InputCipher } from "../services/starts/input_cipher.ts";
import { createHostValues, type HostSources } from "./host_values.ts";

/** The part of the server's options that expressions depend on. */
export interface RenderOptions {
  readonly clock: Clock;
  readonly timeZone: string;
  readonly random: () => number;
  readonly envs: ReadonlyMap<string, string>;
  readonly baseUrl?: string;
}

/** The services that rendering works with. */
export interface RenderSources extends HostSources {
  readonly inputCipher: InputCipher;
}

/** What renders belong to this server. */
export function createRenderDeps(options: RenderOptions, sources: RenderSources): RenderDeps {
  const { clock, timeZone, random, envs, baseUrl } = options;
  const { inputCipher } = sources;
  return {
    clock,
    timeZone,
    random,
    server: {
      envs: toObject(envs),
      kestra: baseUrl === undefined ? undefined : { url: baseUrl },
      openInput: (flow, value) => inputCipher.open(flow, value),
    },
    hostValues: createHostValues(sources),
    convertOutputs: (flow, rendered) =>
      convertOutputs(flow, rendered, { seal: (text) => inputCipher.seal(flow, text) }),
  };
}

function toObject(entries: ReadonlyMap<string, string>): JsonObject {
  const object: JsonObject = {};
  for (const [name, value] of entries) setOwnProperty(object, name, value);
  return object;
}
