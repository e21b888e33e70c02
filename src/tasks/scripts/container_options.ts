/** The properties of the Docker task runner: a schema and a reader each. */
import { parseDuration } from "../../base/time/duration.ts";
import { isJsonObject, type JsonObject, type JsonValue, ownProperty } from "../../base/json.ts";
import {
  dynamicChoice,
  dynamicFlag,
  dynamicProperty,
  dynamicText,
  type PropertySchema,
  type PropertySchemas,
} from "../../model/flows/schema.ts";
import type {
  ContainerMemory,
  ContainerOptions,
  ContainerPermission,
  DeviceRequest,
  ImagePull,
} from "../../model/ports/containers.ts";
import { printValue } from "../../expr/mod.ts";
import { textList } from "../file_properties.ts";
import { flagOf, mapOf, structureOf, textOf, textsOf, wholeNumberOf } from "../property_values.ts";
import { configLogins, credentialLogins } from "./registry_logins.ts";

/** Reads a property of a rendered runner under its name. @throws Error an invalid value, which it names */
type Read = (runner: JsonObject, name: string, image: string) => ContainerOptions;

interface ContainerProperty {
  readonly schema: PropertySchema;
  readonly read?: Read;
}

const PULLS: ReadonlyMap<string, ImagePull> = new Map([
  ["ALWAYS", "always"],
  ["IF_NOT_PRESENT", "missing"],
  ["NEVER", "never"],
]);
const USER = /^[A-Za-z0-9_][A-Za-z0-9_.-]*\$?(?::[A-Za-z0-9_][A-Za-z0-9_.-]*\$?)?$/;
/** Usual addresses of the service of the own machine, which is that of the server. */
const OWN_HOSTS: ReadonlySet<string> = new Set([
  "unix:///var/run/docker.sock",
  "unix:///dind/docker.sock",
  "/var/run/docker.sock",
]);
const HOST =
  /^(?:unix:\/\/\/[\w./-]+|(?:tcp|ssh):\/\/(?:[A-Za-z0-9_][\w.-]*@)?(?:[A-Za-z0-9][\w.-]*|\[[0-9A-Fa-f:]+\])(?::\d{1,5})?)$/;
const NETWORK = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,127}$/;
const EXTRA_HOST = /^[A-Za-z0-9][A-Za-z0-9_.-]*[:=](?:host-gateway|\[?[0-9A-Fa-f.:]+\]?)$/;
const PORT =
  /^(?:(?:\d{1,3}(?:\.\d{1,3}){3}|\[[0-9A-Fa-f:]+\]):)?(?:[\d-]*:)?\d[\d-]*(?:\/(?:tcp|udp|sctp))?$/;
const VOLUME = /^[^:,\s][^:,\n]*:\/[^:,\n]*(?::[A-Za-z,]+)?$/;
const DEVICE_WORD = /^[A-Za-z0-9][A-Za-z0-9_.:/-]*$/;
const SIZE = /^(\d+(?:\.\d+)?)\s*([KMGT]?)B?$/i;
const KIB = 1024;
const UNITS = ["", "K", "M", "G", "T"];
const MAX_SWAPPINESS = 100;

const MEMORY: PropertySchemas = Object.freeze({
  memory: dynamicText("Most memory of the container, such as 512MB; units are powers of 1,024."),
  memorySwap: dynamicText("Most memory and swap together; -1 means no limit. Requires `memory`."),
  memoryReservation: dynamicText("Memory that the container is pushed back to when the machine has little."),
  memorySwappiness: dynamicText("How readily memory is swapped, from 0 to 100."),
  kernelMemory: dynamicText("Most memory of the kernel for the container.", { ignored: true }),
  oomKillDisable: dynamicFlag(
    false,
    "Whether processes wait for memory at the limit, instead of being killed. Requires `memory`.",
  ),
});

const CREDENTIALS: PropertySchemas = Object.freeze({
  registry: dynamicText("Address of the registry; by default that of the image."),
  username: dynamicText("User of the registry."),
  password: dynamicText("Password of that user."),
  registryToken: dynamicText("Token of the registry."),
  identityToken: dynamicText("Identity token of the registry."),
  auth: dynamicText("User and password, with a colon between them, as base64."),
});

const DEVICE_REQUEST: PropertySchemas = Object.freeze({
  driver: dynamicText("Driver of the devices.", { values: ["nvidia"] }),
  count: dynamicProperty("integer", "Number of devices; -1 means all.", { minimum: -1 }),
  deviceIds: textList("Ids of the devices, instead of a `count`."),
  capabilities: dynamicProperty("list", "Capabilities: a list that holds one list of texts."),
  options: dynamicProperty("map", "Options of the driver."),
});

/** All of them. */
const CONTAINER_PROPERTIES: Readonly<Record<string, ContainerProperty>> = Object.freeze({
  image: { schema: dynamicText("Image, if the task has no `containerImage`.") },
  pullPolicy: {
    schema: dynamicChoice([...PULLS.keys()], "IF_NOT_PRESENT", "When the image is pulled."),
    read: (runner, name) => ({ pull: pullOf(runner, name) }),
  },
  user: {
    schema: dynamicText("User within the container, and optionally its group."),
    read: (runner, name) => ({
      user: matching(textOf(runner, name), USER, name, 'a user such as "1000:1000"'),
    }),
  },
  entryPoint: {
    schema: textList("Command that receives the commands of the task as arguments.", { orText: true }),
    read: (runner, name) => ({ entryPoint: entryPointOf(textsOf(runner, name)) }),
  },
  networkMode: {
    schema: dynamicText(
      "Network of the container: `none`, `bridge`, `host` or the name of a network. " +
        "The last two may need --container-allow networks.",
    ),
    read: (runner, name) => ({ network: networkOf(textOf(runner, name), name) }),
  },
  extraHosts: {
    schema: textList("Further hosts, `name:address` each."),
    read: (runner, name) => ({
      extraHosts: eachMatching(runner, name, EXTRA_HOST, 'a host such as "db:10.0.0.5"'),
    }),
  },
  portBindings: {
    schema: textList("Ports of the machine that lead into the container; need --container-allow ports."),
    read: (runner, name) => ({ ports: eachMatching(runner, name, PORT, 'a port such as "8080:80"') }),
  },
  volumes: {
    schema: textList("Folders of the machine, `/path:/path/within` each; need --container-allow volumes."),
    read: (runner, name) => ({
      volumes: eachMatching(runner, name, VOLUME, 'a volume such as "/data:/data:ro"'),
    }),
  },
  cpu: {
    schema: dynamicProperty("object", "Processors that the container may use.", {
      properties: { cpus: dynamicProperty("number", "Their number, such as 0.5.") },
    }),
    read: (runner, name) => ({ cpus: cpusOf(mapOf(runner, name) ?? {}, name) }),
  },
  memory: {
    schema: dynamicProperty("object", "Memory that the container may use.", { properties: MEMORY }),
    read: (runner, name) => ({ memory: memoryOf(mapOf(runner, name) ?? {}, name) }),
  },
  shmSize: {
    schema: dynamicText("Size of /dev/shm, such as 64MB."),
    read: (runner, name) => ({ sharedMemoryBytes: sizeOf(runner, name, name) }),
  },
  deviceRequests: {
    schema: dynamicProperty("list", "Graphics processors for the container.", {
      items: dynamicProperty("object", "A request.", { properties: DEVICE_REQUEST }),
    }),
    read: (runner, name) => ({ devices: devicesOf(structureOf(runner, name), name) }),
  },
  privileged: {
    schema: dynamicFlag(
      false,
      "Whether the container has all rights of the machine; needs --container-allow privileged.",
    ),
    read: (runner, name) => ({ isPrivileged: flagOf(runner, name, false) }),
  },
  host: {
    schema: dynamicText("Address of another container service; needs --container-allow hosts."),
    read: (runner, name) => ({ host: hostOf(textOf(runner, name), name) }),
  },
  config: {
    schema: dynamicProperty("map", "Content of a Docker configuration file, of which `auths` is read.", {
      orText: true,
    }),
    read: (runner, name) => ({ logins: configLogins(secretMapOf(runner, name)) }),
  },
  credentials: {
    schema: dynamicProperty("object", "Credentials of the registry of the image.", {
      properties: CREDENTIALS,
    }),
    read: (runner, name, image) => ({ logins: credentialLogins(secretMapOf(runner, name), image) }),
  },
  fileHandlingStrategy: {
    schema: dynamicChoice(
      ["MOUNT", "VOLUME"],
      "MOUNT",
      "Whether the working directory is mounted, or its files are copied into the container and back.",
    ),
    read: (runner, name) => ({ copiesFiles: textOf(runner, name)?.trim().toUpperCase() === "VOLUME" }),
  },
  delete: {
    schema: dynamicFlag(true, "Whether the ended container is removed."),
    read: (runner, name) => ({ isKept: !flagOf(runner, name, true) }),
  },
  wait: {
    schema: dynamicFlag(
      true,
      "Whether the task waits for the end of the container; `false` is not supported.",
    ),
    read: (runner, name) => {
      if (flagOf(runner, name, true)) return {};
      throw new Error('"wait: false" is not supported: a container ends with its task; leave it out');
    },
  },
  killGracePeriod: {
    schema: dynamicProperty(
      "duration",
      "Time between the request to stop and the kill; three seconds by default.",
    ),
    read: (runner, name) => ({ graceMs: graceOf(textOf(runner, name), name) }),
  },
  resume: {
    schema: dynamicFlag(true, "Whether a restarted task continues in its container.", { ignored: true }),
  },
});

/** Schemas of the properties of the runner. */
export const CONTAINER_SCHEMAS: PropertySchemas = Object.freeze(
  Object.fromEntries(Object.entries(CONTAINER_PROPERTIES).map(([name, { schema }]) => [name, schema])),
);

/** Schemas of the older `docker` property of tasks, which has the same members. */
export const DOCKER_SCHEMAS: PropertySchemas = Object.freeze({
  ...CONTAINER_SCHEMAS,
  host: { ...dynamicText(CONTAINER_SCHEMAS.host?.description ?? ""), aliases: ["dockerHost"] },
  config: { ...CONTAINER_SCHEMAS.config as PropertySchema, aliases: ["dockerConfig"] },
  configPath: dynamicText("Path of a Docker configuration file of the server.", { planned: true }),
});

/** Names of older properties by their current ones. */
const OLDER_NAMES: ReadonlyMap<string, string> = new Map([["host", "dockerHost"], [
  "config",
  "dockerConfig",
]]);

/** The property that needs a permission. */
export const PROPERTY_OF_PERMISSION: Readonly<Record<ContainerPermission, string>> = Object.freeze({
  volumes: "volumes",
  privileged: "privileged",
  networks: "networkMode",
  ports: "portBindings",
  hosts: "host",
  manage: "wait",
});

/** The options of a rendered runner for a container of that image. @throws Error an invalid value, which it names */
export function readContainerOptions(runner: JsonObject, image: string): ContainerOptions {
  const { options, mistakes: [mistake] } = inspectContainerOptions(runner, image, () => true);
  if (mistake) throw new Error(`Cannot run commands in a container: ${mistake.message}`);
  return options;
}

interface InspectedOptions {
  readonly options: ContainerOptions;
  readonly mistakes: readonly { readonly name: string; readonly message: string }[];
}

/** The options whose values `isKnown`, and what is wrong with them. */
export function inspectContainerOptions(
  given: JsonObject,
  image: string,
  isKnown: (value: JsonValue) => boolean,
): InspectedOptions {
  const runner = withCurrentNames(given);
  const mistakes: { name: string; message: string }[] = [];
  let options: ContainerOptions = {};
  for (const [name, { read }] of Object.entries(CONTAINER_PROPERTIES)) {
    const value = ownProperty(runner, name) ?? null;
    if (!read || value === null || !isKnown(value)) continue;
    try {
      const { logins, ...others } = read(runner, name, image);
      options = { ...options, ...others };
      if (logins) options = { ...options, logins: new Map([...options.logins ?? [], ...logins]) };
    } catch (error) {
      mistakes.push({ name, message: (error as Error).message });
    }
  }
  return { options, mistakes };
}

/** As {@link mapOf}, but no message repeats the value. */
function secretMapOf(runner: JsonObject, name: string): JsonObject | undefined {
  try {
    return mapOf(runner, name);
  } catch {
    throw new Error(`Invalid ${name}: it must be a map, or its JSON`);
  }
}

function withCurrentNames(runner: JsonObject): JsonObject {
  const copy = { ...runner };
  for (const [name, older] of OLDER_NAMES) copy[name] ??= ownProperty(runner, older) ?? null;
  return copy;
}

function invalid(name: string, text: string, expected: string): Error {
  return new Error(`Invalid ${name} "${text.slice(0, 100)}": it must be ${expected}`);
}

function matching(text: string | undefined, pattern: RegExp, name: string, expected: string) {
  if (text === undefined || pattern.test(text)) return text;
  throw invalid(name, text, expected);
}

function eachMatching(runner: JsonObject, name: string, pattern: RegExp, expected: string): string[] {
  const texts = textsOf(runner, name) ?? [];
  for (const text of texts) matching(text, pattern, name, expected);
  return texts;
}

function pullOf(runner: JsonObject, name: string): ImagePull | undefined {
  const text = textOf(runner, name);
  const pull = PULLS.get(text?.trim().toUpperCase() ?? "");
  if (text === undefined || pull) return pull;
  throw invalid(name, text, [...PULLS.keys()].join(", "));
}

/** Empty texts mean that the image's own entry point is not used, which it never is. */
function entryPointOf(words: readonly string[] = []): readonly string[] | undefined {
  const given = words.filter((word) => word !== "");
  return given.length > 0 ? given : undefined;
}

function networkOf(text: string | undefined, name: string): string | undefined {
  if (text === undefined || text === "" || text === "default") return undefined;
  return matching(text, NETWORK, name, "none, bridge, host or the name of a network");
}

function hostOf(text: string | undefined, name: string): string | undefined {
  if (text === undefined || text === "" || OWN_HOSTS.has(text)) return undefined;
  return matching(text, HOST, name, 'an address such as "tcp://10.0.0.5:2375" or "unix:///run/docker.sock"');
}

function cpusOf(cpu: JsonObject, name: string): number | undefined {
  const text = textOf(cpu, "cpus");
  if (text === undefined || Number(text) > 0) return text === undefined ? undefined : Number(text);
  throw invalid(`${name}.cpus`, text, "a number greater than 0");
}

function memoryOf(memory: JsonObject, name: string): ContainerMemory {
  const limitBytes = sizeOf(memory, "memory", `${name}.memory`);
  const swap = textOf(memory, "memorySwap");
  const swapBytes = swap === "-1" ? -1 : sizeOf(memory, "memorySwap", `${name}.memorySwap`);
  const swappiness = textOf(memory, "memorySwappiness");
  if (swappiness !== undefined && !(Number(swappiness) >= 0 && Number(swappiness) <= MAX_SWAPPINESS)) {
    throw invalid(`${name}.memorySwappiness`, swappiness, "a number from 0 to 100");
  }
  const isOomKillDisabled = flagOf(memory, "oomKillDisable", false);
  if (limitBytes === undefined && (swapBytes !== undefined || isOomKillDisabled)) {
    const given = isOomKillDisabled ? "oomKillDisable" : "memorySwap";
    throw new Error(`Invalid ${name}.${given}: it needs a limit; give \`memory\` beside it`);
  }
  return {
    limitBytes,
    swapBytes,
    reservationBytes: sizeOf(memory, "memoryReservation", `${name}.memoryReservation`),
    swappiness: swappiness === undefined ? undefined : Math.round(Number(swappiness)),
    isOomKillDisabled,
  };
}

/** Bytes of `512MB`, `0.5G` or `1000`; units are powers of 1,024. */
function sizeOf(object: JsonObject, member: string, name: string): number | undefined {
  const text = textOf(object, member)?.trim();
  if (text === undefined || text === "") return undefined;
  const [, digits, unit = ""] = SIZE.exec(text) ?? [];
  const bytes = Math.round(Number(digits) * KIB ** UNITS.indexOf(unit.toUpperCase()));
  if (bytes > 0 && Number.isSafeInteger(bytes)) return bytes;
  throw invalid(name, text, 'a size such as "512MB"');
}

function devicesOf(value: JsonValue | undefined, name: string): DeviceRequest[] {
  const list = Array.isArray(value) ? value : [];
  return list.map((entry) => isJsonObject(entry) ? deviceOf(entry, name) : {});
}

function deviceOf(request: JsonObject, name: string): DeviceRequest {
  const driver = textOf(request, "driver");
  if (driver !== undefined && driver !== "nvidia") throw invalid(`${name}.driver`, driver, '"nvidia"');
  const ids = textsOf(request, "deviceIds");
  const sets = structureOf(request, "capabilities") ?? [];
  const [first, ...others] = Array.isArray(sets) ? sets : [];
  if (others.length > 0) {
    throw new Error(`Invalid ${name}.capabilities: only one list of capabilities is supported`);
  }
  const capabilities = Array.isArray(first) ? first.map((word) => printValue(word)) : [];
  const options = Object.entries(mapOf(request, "options") ?? {}).map(([key, item]) =>
    [key, printValue(item)] as const
  );
  for (const word of [...ids ?? [], ...capabilities, ...options.flat()]) {
    matching(word, DEVICE_WORD, name, "without commas, blanks and quotes");
  }
  return {
    count: wholeNumberOf(request, "count", { fallback: -1, minimum: -1 }),
    ids,
    capabilities,
    options: options.length > 0 ? new Map(options) : undefined,
  };
}

function graceOf(text: string | undefined, name: string): number | undefined {
  if (text === undefined) return undefined;
  const ms = parseDuration(text);
  if (ms !== undefined && ms >= 0) return ms;
  throw invalid(name, text, 'a duration such as "PT10S"');
}
