/** The manifest of a pod: labels and name of its attempt, default settings of containers, and containers that carry files. */
import { isJsonObject, type JsonObject, type JsonValue, objectsOf, stringifyJson } from "../../base/json.ts";
import { mergeDeep } from "../../base/merge_deep.ts";
import { optionalText, type TaskAttempt } from "../../model/tasks/task_definition.ts";

/** Where the containers find the files of the task. */
export const POD_DIRECTORY = "/kestra/working-dir";
/** Waits for the input files, before the containers of the task begin. */
export const INPUT_CONTAINER = "init-files";
/** Waits until the output files have been read. */
export const OUTPUT_CONTAINER = "out-files";
/** The file that ends the waiting of {@link INPUT_CONTAINER}. */
export const READY_FILE = "/kestra/ready";
/** The file that ends the waiting of {@link OUTPUT_CONTAINER}. */
export const ENDED_FILE = "/kestra/ended";

const VOLUME = "kestra-files";
const MOUNT = { name: VOLUME, mountPath: "/kestra" };
const DEFAULT_IMAGE = "busybox";
const LABEL_PREFIX = "kestra.io/";
/** Longest name of a pod and longest value of a label. */
const MAX_NAME_CHARS = 63;

/** What a manifest is made of. */
interface PodInput {
  readonly properties: JsonObject;
  readonly attempt: TaskAttempt;
  /** The directory on this machine, as expressions have it: in texts it stands for that of the containers. */
  readonly localDirectory: string;
}

/** The manifest. @throws Error `spec` has no containers */
export function podManifest({ properties, attempt, localDirectory }: PodInput): JsonObject {
  const metadata = replaced(objectOf(properties.metadata), localDirectory);
  const spec = replaced(objectOf(properties.spec), localDirectory);
  const defaults = replaced(objectOf(properties.containerDefaultSpec), localDirectory);
  const prepared = (containers: JsonValue | undefined) =>
    objectsOf(containers)
      .filter(({ name }) => name !== INPUT_CONTAINER && name !== OUTPUT_CONTAINER)
      .map((container) => withTexts(withDefaults(container, defaults)));
  const containers = prepared(spec.containers);
  if (containers.length === 0) throw new Error("Invalid spec: it needs at least one container");
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      ...metadata,
      name: optionalText(metadata.name) ?? podName(attempt),
      labels: { ...textsOf(objectOf(metadata.labels)), ...attemptLabels(attempt) },
      ...isJsonObject(metadata.annotations) && { annotations: textsOf(metadata.annotations) },
    },
    spec: withFiles({ ...spec, containers, initContainers: prepared(spec.initContainers) }, properties),
  };
}

/** Finds the pods of an attempt. */
export function attemptSelector({ taskRunId, attemptNumber }: TaskAttempt): string {
  return `${LABEL_PREFIX}taskrun-id=${labelOf(taskRunId)},${LABEL_PREFIX}taskrun-attempt=${attemptNumber}`;
}

function attemptLabels(attempt: TaskAttempt): JsonObject {
  const { namespace, flowId, taskId, executionId, taskRunId, attemptNumber } = attempt;
  return Object.fromEntries(
    Object.entries({
      "namespace": namespace,
      "flow-id": flowId,
      "task-id": taskId,
      "execution-id": executionId,
      "taskrun-id": taskRunId,
      "taskrun-attempt": String(attemptNumber),
    }).map(([name, value]) => [`${LABEL_PREFIX}${name}`, labelOf(value)]),
  );
}

function labelOf(text: string): string {
  return text.replace(/[^\w.-]/g, "-").slice(0, MAX_NAME_CHARS).replace(
    /^[^a-z0-9]+|(?<![^a-z0-9])[^a-z0-9]+$/gi,
    "",
  );
}

/** Of the attempt alone, so that a repeated creation is refused. */
function podName({ flowId, taskId, taskRunId, attemptNumber }: TaskAttempt): string {
  const plain = (text: string) => text.toLowerCase().replace(/[^a-z0-9]+/g, "-");
  const end = `-${plain(taskRunId)}-${attemptNumber}`;
  const begin = plain(`${flowId}-${taskId}`).slice(0, MAX_NAME_CHARS - end.length);
  return `${begin}${end}`.replace(/^-+/, "");
}

/** The containers and the volume for the files of the task. */
function withFiles(spec: JsonObject, properties: JsonObject): JsonObject {
  const hasInputs = properties.inputFiles !== undefined, hasOutputs = properties.outputFiles !== undefined;
  if (!hasInputs && !hasOutputs) return spec;
  const carrier = (name: string, script: string) => fileContainer(properties, { name, script });
  const first = hasInputs
    ? carrier(INPUT_CONTAINER, `mkdir -p ${POD_DIRECTORY}\n${waiting(READY_FILE)}`)
    : carrier(INPUT_CONTAINER, `mkdir -p ${POD_DIRECTORY}`);
  const containers = [
    ...objectsOf(spec.containers).map(mounted),
    ...hasOutputs ? [carrier(OUTPUT_CONTAINER, waiting(ENDED_FILE))] : [],
  ];
  return {
    ...spec,
    containers,
    initContainers: [...objectsOf(spec.initContainers), first],
    volumes: [...objectsOf(spec.volumes), { name: VOLUME, emptyDir: {} }],
  };
}

function waiting(path: string): string {
  return `while [ ! -f ${path} ]; do sleep 0.5; done`;
}

function fileContainer(
  { fileSidecar, containerDefaultSpec }: JsonObject,
  { name, script }: { readonly name: string; readonly script: string },
): JsonObject {
  const given = objectOf(fileSidecar);
  const defaults = isJsonObject(given.defaultSpec) ? given.defaultSpec : objectOf(containerDefaultSpec);
  const container: JsonObject = {
    name,
    image: optionalText(given.image) ?? DEFAULT_IMAGE,
    command: ["sh", "-c", script],
    ...isJsonObject(given.resources) && { resources: given.resources },
  };
  return mounted(withDefaults(container, defaults));
}

function mounted(container: JsonObject): JsonObject {
  return { ...container, volumeMounts: [...objectsOf(container.volumeMounts), MOUNT] };
}

/** Members of the container win; mounts of both are kept, and variables by their names. */
function withDefaults(container: JsonObject, defaults: JsonObject): JsonObject {
  const merged = mergeDeep(defaults, container);
  const { volumeMounts, env } = container;
  if (defaults.volumeMounts !== undefined) {
    merged.volumeMounts = [...objectsOf(defaults.volumeMounts), ...objectsOf(volumeMounts)];
  }
  if (defaults.env !== undefined) {
    const own = objectsOf(env), names = new Set(own.map(({ name }) => name));
    merged.env = [...own, ...objectsOf(defaults.env).filter(({ name }) => !names.has(name))];
  }
  return merged;
}

/** The API takes texts only where YAML often has numbers or flags. */
function withTexts(container: JsonObject): JsonObject {
  const { command, args, env } = container;
  return {
    ...container,
    ...Array.isArray(command) && { command: command.map(textOf) },
    ...Array.isArray(args) && { args: args.map(textOf) },
    ...Array.isArray(env) && {
      env: objectsOf(env).map((variable) =>
        variable.value === undefined ? variable : { ...variable, value: textOf(variable.value) }
      ),
    },
  };
}

function textsOf(values: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, textOf(value)]));
}

function textOf(value: JsonValue): string {
  return typeof value === "string" ? value : stringifyJson(value);
}

/** The directory of this machine in texts is replaced by that of the containers. */
function replaced<T extends JsonValue>(value: T, localDirectory: string): T;
function replaced(value: JsonValue, localDirectory: string): JsonValue {
  if (typeof value === "string") return value.replaceAll(localDirectory, POD_DIRECTORY);
  if (Array.isArray(value)) return value.map((each) => replaced(each, localDirectory));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [name, replaced(each, localDirectory)]),
  );
}

function objectOf(value: JsonValue | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}
