/** What rendering needs from the server, for executions under way and for expressions tried out on them. */
import type { Clock } from "../base/clock.ts";
import { type JsonObject, setOwnProperty } from "../base/json.ts";
import { convertOutputs } from "../flow/mod.ts";
import { type RenderDeps, Renderer, TemplateCache } from "../rendering/renderer.ts";
import type { LoopContexts } from "../rendering/loop_contexts.ts";
import { isRenderError } from "../rendering/host_functions/mod.ts";
import type { ExecutionActionsDeps } from "../services/executions/execution_actions.ts";
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

/** Renders an expression that somebody tries out on an execution; secrets are masked in what it gives. */
export function createEvaluator(
  deps: RenderDeps,
  contexts: LoopContexts,
): ExecutionActionsDeps["evaluate"] {
  return async ({ execution, plan, taskRun }, source) => {
    const outer = await contexts.of(execution);
    const renderer = new Renderer(plan, execution, new TemplateCache(), { ...deps, outer });
    const task = taskRun && plan.places.get(taskRun.taskId)?.task;
    try {
      const text = await renderer.text(source, taskRun && task && { task, taskRun });
      return { text: renderer.hostCalls.mask(text) };
    } catch (error) {
      if (isRenderError(error)) return { error: renderer.hostCalls.mask(error.message) };
      throw error;
    }
  };
}

function toObject(entries: ReadonlyMap<string, string>): JsonObject {
  const object: JsonObject = {};
  for (const [name, value] of entries) setOwnProperty(object, name, value);
  return object;
}
