/** `subflow()`: runs another flow and gives its outputs, for the choices and defaults of inputs. */
import { readDuration } from "../../base/time/duration.ts";
import { isJsonObject, type JsonObject, type JsonValue, ownProperty } from "../../base/json.ts";
import { CORRELATION_LABEL, isSystemLabel, type Label } from "../../model/flows/label.ts";
import {
  type HostCall,
  HostError,
  type HostFunctionTable,
  requiredOf,
  type SubflowCall,
} from "./host_function.ts";

const DEFAULT_TIMEOUT_MS = 60_000;
const MAX_TIMEOUT_MS = 300_000;

/** Functions that run flows. Only texts of the flow itself may call them. */
export const SUBFLOW_FUNCTIONS: HostFunctionTable = [
  ["subflow", {
    parameters: ["namespace", "id", "inputs", "revision", "labels", "timeout"],
    call: callSubflow,
    hasEffect: true,
    isForAuthors: true,
  }],
];

/** `id`, `state`, `outputs` and `labels` of the execution. @throws HostError it cannot start, or does not end well in time */
async function callSubflow({ args, caller: { tenant }, values: { subflows } }: HostCall): Promise<JsonValue> {
  if (!subflows) {
    throw new HostError(
      'Cannot call "subflow": only inputs of a flow may; use a task of type core.flow.Subflow',
    );
  }
  const call: SubflowCall = {
    tenant,
    namespace: requiredOf(args, "namespace"),
    flowId: requiredOf(args, "id"),
    inputs: mapOf(args.get("inputs"), "inputs"),
    revision: revisionOf(args.get("revision")),
    labels: labelsOf(mapOf(args.get("labels"), "labels")),
    timeoutMs: timeoutOf(args.get("timeout")),
  };
  return await subflows.run(call);
}

function mapOf(value: JsonValue | undefined, name: string): JsonObject {
  if (value === undefined || value === null) return {};
  if (isJsonObject(value)) return value;
  throw new HostError(`Cannot call "subflow": argument "${name}" must be a map`);
}

function revisionOf(value: JsonValue | undefined): number | undefined {
  if (value === undefined || value === null) return undefined;
  const revision = Number(value);
  if (Number.isSafeInteger(revision) && revision > 0) return revision;
  throw new HostError('Cannot call "subflow": argument "revision" must be a whole number from 1');
}

function labelsOf(labels: JsonObject): Label[] {
  return Object.keys(labels).flatMap((key) => {
    const value = ownProperty(labels, key) ?? null;
    if (value === null) return [];
    if (!isSystemLabel(key) || key === CORRELATION_LABEL) return [{ key, value: String(value) }];
    throw new HostError(`Cannot call "subflow": the label "${key}" is set by the server only`);
  });
}

function timeoutOf(value: JsonValue | undefined): number {
  if (value === undefined || value === null) return DEFAULT_TIMEOUT_MS;
  const ms = readDuration(value);
  if (ms !== undefined && ms > 0 && ms <= MAX_TIMEOUT_MS) return ms;
  throw new HostError(
    'Cannot call "subflow": argument "timeout" must be a duration up to PT5M, such as "PT30S"',
  );
}
