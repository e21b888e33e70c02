/** Calls of the container runtime of the machine by tasks. */
import { isJsonObject, type JsonObject, type JsonValue, ownProperty } from "../../base/json.ts";
import type { PropertySchemas } from "../../model/flows/schema.ts";
import type { ContainerPermission } from "../../model/ports/containers.ts";
import type { ProcessLine, ScriptPlaces } from "../../model/ports/processes.ts";
import type { RunContext } from "../../model/ports/run_context.ts";
import { isImageReference } from "../../model/tasks/image_reference.ts";
import type { TaskProblem } from "../../model/tasks/task_catalog.ts";
import { textOf } from "../property_values.ts";
import { CONTAINER_SCHEMAS, readContainerOptions } from "../scripts/container_options.ts";

/** Lines of output that are kept. */
const MAX_LINES = 10_000;
const CONTAINER_ID = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,255}$/;
/** Hosts whose images are named without one. */
const HUB = /^(?:registry-1\.|index\.)?docker\.io$/;

const CONNECTION_NAMES = ["host", "config", "credentials"] as const;

/** Properties of all types: `host`, `config` and `credentials`. */
export const CONNECTION: PropertySchemas = Object.freeze(pick(CONTAINER_SCHEMAS, CONNECTION_NAMES));

/** The members with these names that there are. */
export function pick<Value>(
  object: Readonly<Record<string, Value>>,
  names: readonly string[],
): Record<string, Value> {
  return Object.fromEntries(
    names.flatMap((name) => Object.hasOwn(object, name) ? [[name, object[name] as Value]] : []),
  );
}

interface RuntimeCall {
  /** Arguments, without what chooses the service. What the flow gives is checked, is the value of an option or follows `--`. */
  readonly args: readonly string[];
  /** For errors: verb and object. */
  readonly operation: string;
  /** Image whose registry the credentials are for, if they name none. */
  readonly image?: string;
  /** Absent: `manage`. */
  readonly permissions?: readonly ContainerPermission[];
  /** Logs both streams. */
  readonly isLogged?: boolean;
}

/** Runs a command of the runtime; returns its output. @throws Error it fails, with the last error lines of the runtime, or was stopped */
export async function callRuntime(
  context: RunContext,
  properties: JsonObject,
  { args, operation, image = "", permissions = ["manage"], isLogged = false }: RuntimeCall,
): Promise<string[]> {
  const { host, logins } = readContainerOptions(pick(properties, CONNECTION_NAMES), image);
  const lines: string[] = [];
  let lastError = "";
  const { exitCode } = await context.ports.processes.run(context, {
    command: args,
    workingDirectory: "/",
    env: new Map(),
    place: { type: "runtime", host, logins, permissions },
    signal: context.signal,
    async onLine({ text, isError }: ProcessLine) {
      if (isError) lastError = text.trim() || lastError;
      else if (lines.length < MAX_LINES) lines.push(text);
      if (!isLogged) return;
      // Runtimes report their progress on the error stream.
      context.log("INFO", text);
      await context.logged();
    },
  });
  if (context.signal.aborted) throw new Error(`Cannot ${operation}: the task was stopped`);
  if (exitCode === 0) return lines;
  throw new Error(`Cannot ${operation}: ${lastError || `the runtime ended with exit code ${exitCode}`}`);
}

/** The problem of a task whose type needs the permission to manage images and containers. */
export function checkManage(_task: JsonObject, places: ScriptPlaces | undefined): TaskProblem[] {
  if (!places || places.policy.mode === "off" || places.containers.allows("manage")) return [];
  const message =
    "is not allowed to flows of this server: it changes images and containers of the machine; start the server with " +
    "--container-allow manage";
  return [{ path: ["type"], message, severity: "error" }];
}

/** @throws Error the text is no image reference */
export function checkedImage(text: string): string {
  const image = text.trim().replace(/^[a-z]+:\/\//, "");
  if (isImageReference(image)) return image;
  throw new Error(`"${text.slice(0, 100)}" is not an image reference such as "python:3.13-slim"`);
}

/** An image with the registry of the credentials, if it names none. @throws Error it is no image reference */
export function imageInRegistry(image: string, properties: JsonObject): string {
  const host = registryHost(ownProperty(properties, "credentials"));
  const name = checkedImage(image);
  return host === undefined || name.startsWith(`${host}/`) ? name : checkedImage(`${host}/${name}`);
}

function registryHost(credentials: JsonValue | undefined): string | undefined {
  const registry = isJsonObject(credentials) ? textOf(credentials, "registry") : undefined;
  const host = registry?.trim().replace(/^https?:\/\//, "").replace(/\/.*$/s, "");
  return host === undefined || host === "" || HUB.test(host) ? undefined : host;
}

/** @throws Error the text is no id or name of a container */
export function checkedContainer(text: string): string {
  const id = text.trim();
  if (CONTAINER_ID.test(id)) return id;
  throw new Error(`"${text.slice(0, 100)}" is not the id or the name of a container`);
}
