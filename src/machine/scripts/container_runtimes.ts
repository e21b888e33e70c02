/** How the programs that run containers differ; what all of them understand is in `container_command.ts`. */
import type { ContainerRuntimeName, DeviceRequest } from "../../model/ports/containers.ts";

/** One program. */
export interface ContainerRuntime {
  readonly name: ContainerRuntimeName;
  /** Arguments that print the version if containers can run, and fail if not. */
  readonly versionArgs: readonly string[];
  /** Variables that make it read `config.json` in that folder. */
  loginVariables(folder: string): Readonly<Record<string, string>>;
  /** Options before the command that choose another service; absent: it has none. */
  hostOptions?(host: string): readonly string[];
  /** Options of `rm` beside those that all have. */
  readonly removalOptions?: readonly string[];
  /** Options of `run` and `create` for a request for graphics processors. */
  deviceOptions(request: DeviceRequest): readonly string[];
}

const ALL = -1;
/** Name of the graphics processors in the Container Device Interface: https://github.com/cncf-tags/container-device-interface */
const CDI_GPU = "nvidia.com/gpu";

const DOCKER: ContainerRuntime = {
  name: "docker",
  // The version of the service: the program alone runs no container.
  versionArgs: ["version", "--format", "{{.Server.Version}}"],
  loginVariables: (folder) => ({ DOCKER_CONFIG: folder }),
  hostOptions: (host) => [`--host=${host}`],
  deviceOptions: gpuOptions,
};

const PODMAN: ContainerRuntime = {
  name: "podman",
  // Opens the storage, too; `version` would not.
  versionArgs: ["info", "--format", "{{.Version.Version}}"],
  loginVariables: (folder) => ({ REGISTRY_AUTH_FILE: `${folder}/config.json` }),
  hostOptions: (host) => ["--remote", `--url=${host}`],
  // It would wait ten seconds for the end of a running container.
  removalOptions: ["--time=0"],
  deviceOptions: ({ ids, count = ALL }) => {
    const names = ids ?? (count === ALL ? ["all"] : Array.from({ length: count }, (_, index) => `${index}`));
    return names.map((name) => `--device=${CDI_GPU}=${name}`);
  },
};

const NERDCTL: ContainerRuntime = {
  name: "nerdctl",
  versionArgs: ["info", "--format", "{{.ServerVersion}}"],
  loginVariables: (folder) => ({ DOCKER_CONFIG: folder }),
  deviceOptions: gpuOptions,
};

/** All of them, in the order in which they are looked for. */
export const RUNTIMES: readonly ContainerRuntime[] = Object.freeze([DOCKER, PODMAN, NERDCTL]);

/** The option of Docker: fields with commas between them, each quoted that has commas itself. */
function gpuOptions({ count, ids, capabilities = [], options }: DeviceRequest): string[] {
  const fields = [
    ...ids ? [`device=${ids.join(",")}`] : [`count=${count === undefined || count === ALL ? "all" : count}`],
    ...capabilities.length > 0 ? [`capabilities=${capabilities.join(",")}`] : [],
    ...options ? [`options=${[...options].map(([name, value]) => `${name}=${value}`).join(",")}`] : [],
  ];
  const quoted = fields.map((field) => field.includes(",") ? `"${field.replaceAll('"', '""')}"` : field);
  return [`--gpus=${quoted.join(",")}`];
}
