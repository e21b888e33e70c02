/** Outputs of type SECRET of the executions that a Flow trigger reacts to: in clear for its expressions, encrypted for its flow. */
import { type JsonObject, ownProperty } from "../../base/json.ts";
import { undefinedIfMissing } from "../../model/errors.ts";
import type { Execution } from "../../model/executions/execution.ts";
import type { Flow } from "../../model/flows/flow.ts";
import { holdsEncrypted } from "../../model/flows/input_value.ts";
import type { Flows } from "../flows/flows.ts";
import type { InputCipher } from "../starts/input_cipher.ts";

interface HandedOutputsDeps {
  readonly flows: Pick<Flows, "plan">;
  readonly inputCipher: Pick<InputCipher, "handOver">;
}

/** An execution whose outputs are handed over. */
export type Giver = Pick<Execution, "namespace" | "flowId" | "flowRevision" | "outputs">;

/** The outputs in both forms. */
export interface HandedOutputs {
  readonly clear: JsonObject;
  readonly encrypted: JsonObject;
  /** The texts that are encrypted. */
  readonly secrets: readonly string[];
}

/** Its outputs for `receiver`; `undefined` if none is encrypted, or if its flow can no longer be read. */
export async function handedOutputs(
  { namespace, flowId: id, flowRevision: revision, outputs }: Giver,
  receiver: Flow,
  { flows, inputCipher }: HandedOutputsDeps,
): Promise<HandedOutputs | undefined> {
  if (!outputs || !holdsEncrypted(outputs)) return undefined;
  const key = { namespace, id }, options = { revision, allowDeleted: true };
  const plan = await undefinedIfMissing(() => flows.plan(receiver.tenant, key, options));
  if (!plan) return undefined;
  const clear = inputCipher.handOver(plan.flow, outputs);
  const opened = Object.keys(clear).filter((name) => ownProperty(clear, name) !== ownProperty(outputs, name));
  return {
    clear,
    encrypted: inputCipher.handOver(plan.flow, outputs, receiver),
    secrets: opened.map((name) => String(ownProperty(clear, name))),
  };
}
