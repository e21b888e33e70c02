/** What the status of a pod says. https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle/ */
import { isJsonObject, type JsonObject, objectsOf } from "../../base/json.ts";
import { optionalText } from "../../model/tasks/task_definition.ts";
import { INPUT_CONTAINER, OUTPUT_CONTAINER } from "./pod_manifest.ts";

/** Reasons for waiting that no wait resolves. */
const FINAL_REASONS: ReadonlySet<unknown> = new Set([
  "InvalidImageName",
  "ErrImageNeverPull",
  "CreateContainerConfigError",
  "CreateContainerError",
]);

/** A container of a pod. */
interface ContainerState {
  readonly name: string;
  /** It runs, or has ended. */
  readonly hasStarted: boolean;
  readonly waiting?: JsonObject;
  readonly terminated?: JsonObject;
}

/** The name in the metadata. */
export function nameOf({ metadata }: JsonObject): string {
  return isJsonObject(metadata) ? String(metadata.name) : "";
}

/** `Pending`, `Running`, `Succeeded`, `Failed` or `Unknown`. */
export function phaseOf(pod: JsonObject): string {
  return optionalText(statusOf(pod).phase) ?? "Pending";
}

/** Whether no container of the pod will run again. */
export function hasEnded(pod: JsonObject): boolean {
  const phase = phaseOf(pod);
  return phase === "Succeeded" || phase === "Failed";
}

/** The containers of the task; the one that keeps output files is left out. */
export function taskContainers(pod: JsonObject): ContainerState[] {
  return statesIn(statusOf(pod).containerStatuses).filter(({ name }) => name !== OUTPUT_CONTAINER);
}

/** The containers that run before those, without the one that takes input files. */
export function firstContainers(pod: JsonObject): ContainerState[] {
  return statesIn(statusOf(pod).initContainerStatuses).filter(({ name }) => name !== INPUT_CONTAINER);
}

/** Whether the container that takes input files waits for them. */
export function takesInputs(pod: JsonObject): boolean {
  return statesIn(statusOf(pod).initContainerStatuses)
    .some(({ name, hasStarted, terminated }) => name === INPUT_CONTAINER && hasStarted && !terminated);
}

/** Whether the containers of the task have ended, though one that keeps output files may run. */
export function haveContainersEnded(pod: JsonObject): boolean {
  if (hasEnded(pod)) return true;
  const states = taskContainers(pod);
  return states.length > 0 && states.every(({ terminated }) => terminated !== undefined);
}

/** Whether the condition `Ready` holds. */
export function isPodReady(pod: JsonObject): boolean {
  return objectsOf(statusOf(pod).conditions).some(({ type, status }) =>
    type === "Ready" && status === "True"
  );
}

/** Why the pod has failed, or can never start; `undefined` if neither. */
export function failureOf(pod: JsonObject): string | undefined {
  const states = [...firstContainers(pod), ...taskContainers(pod)];
  const blocked = states.find(({ waiting }) => FINAL_REASONS.has(waiting?.reason));
  if (blocked) return `the container "${blocked.name}" cannot start: ${wordsOf(blocked.waiting)}`;
  const failed = states.filter(({ terminated }) => terminated && terminated.exitCode !== 0);
  if (phaseOf(pod) !== "Failed" && !(haveContainersEnded(pod) && failed.length > 0)) return undefined;
  const said = wordsOf(statusOf(pod));
  const ends = failed.map(({ name, terminated }) => {
    const words = wordsOf(terminated);
    return `the container "${name}" ended with exit code ${terminated?.exitCode}${words && ` (${words})`}`;
  });
  return [...said ? [said] : [], ...ends].join("; ") || "the pod failed";
}

function wordsOf({ reason, message }: JsonObject = {}): string {
  return [reason, message].filter((part) => optionalText(part) !== undefined).join(": ");
}

function statusOf({ status }: JsonObject): JsonObject {
  return isJsonObject(status) ? status : {};
}

function statesIn(statuses: JsonObject[string] | undefined): ContainerState[] {
  return objectsOf(statuses).map(({ name, state }) => {
    const { running, waiting, terminated } = isJsonObject(state) ? state : {};
    return {
      name: String(name),
      hasStarted: isJsonObject(running) || isJsonObject(terminated),
      ...isJsonObject(waiting) && { waiting },
      ...isJsonObject(terminated) && { terminated },
    };
  });
}
