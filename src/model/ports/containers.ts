/** Containers that commands of script tasks run in. */

/** Programs that run containers. */
export type ContainerRuntimeName = "docker" | "podman" | "nerdctl";

/**
 * What containers of flows may only do where the operator allows it: mount folders of the machine, have all rights of the
 * machine, join its network or a named one, open ports of the machine, run on another machine, and manage what is there:
 * build, tag, push and remove images, leave containers behind, stop and remove any container.
 */
const CONTAINER_PERMISSIONS = ["volumes", "privileged", "networks", "ports", "hosts", "manage"] as const;

/** One of {@link CONTAINER_PERMISSIONS}. */
export type ContainerPermission = typeof CONTAINER_PERMISSIONS[number];

/** When an image is fetched. */
export type ImagePull = "always" | "missing" | "never";

/** Credentials of a registry, as the configuration files of container runtimes hold them. */
export interface RegistryLogin {
  /** `user:password` as base64. */
  readonly auth?: string;
  readonly identitytoken?: string;
  readonly registrytoken?: string;
}

/** Memory of a container; sizes in bytes. */
export interface ContainerMemory {
  readonly limitBytes?: number;
  /** Memory and swap together; -1: no limit of swap. */
  readonly swapBytes?: number;
  readonly reservationBytes?: number;
  /** 0 to 100. */
  readonly swappiness?: number;
  readonly isOomKillDisabled?: boolean;
}

/** A request for graphics processors. */
export interface DeviceRequest {
  /** -1: all. */
  readonly count?: number;
  readonly ids?: readonly string[];
  readonly capabilities?: readonly string[];
  readonly options?: ReadonlyMap<string, string>;
}

/** What a flow may choose of a container beside its image. */
export interface ContainerOptions {
  /** Address of another container service; absent: that of the server. */
  readonly host?: string;
  /** By registry. Secret. */
  readonly logins?: ReadonlyMap<string, RegistryLogin>;
  readonly pull?: ImagePull;
  readonly user?: string;
  /** Comes before the command; absent: nothing does, and the entry point of the image is not used either. */
  readonly entryPoint?: readonly string[];
  /** Without an entry point that of the image is used, and without a command that of the image. */
  readonly keepsEntryPoint?: boolean;
  /** The command starts in the working directory of the image. */
  readonly keepsDirectory?: boolean;
  /** The container outlives its task; files are copied into it, and nothing of its output is read. */
  readonly isDetached?: boolean;
  /** `name:address` each. */
  readonly extraHosts?: readonly string[];
  /** `none`, `bridge`, `host` or the name of a network. */
  readonly network?: string;
  readonly ports?: readonly string[];
  readonly volumes?: readonly string[];
  readonly devices?: readonly DeviceRequest[];
  readonly cpus?: number;
  readonly memory?: ContainerMemory;
  /** Size of `/dev/shm`. */
  readonly sharedMemoryBytes?: number;
  readonly isPrivileged?: boolean;
  /** The files of the task are copied into the container and back; otherwise its directory is mounted. */
  readonly copiesFiles?: boolean;
  /** The ended container is not removed. */
  readonly isKept?: boolean;
  /** Between the request to stop and the kill; absent: that of processes. */
  readonly graceMs?: number;
}

/** A container to run a command in. */
export interface ContainerPlace extends ContainerOptions {
  readonly type: "container";
  readonly image: string;
}

/** The container runtime itself: a command is its arguments. It has the environment of the server alone. */
export interface RuntimePlace extends Pick<ContainerOptions, "host" | "logins"> {
  readonly type: "runtime";
  /** What the operator must allow, beside another service. */
  readonly permissions: readonly ContainerPermission[];
}

/** Whether containers run here, and by what. */
export type ContainerState =
  | { readonly runtime: ContainerRuntimeName; readonly version: string }
  /** Why none runs. */
  | { readonly problem: string };

/** The containers of this server. */
export interface ContainerPort {
  /** What was found last; absent until it was looked for. */
  readonly known: ContainerState | undefined;
  /** Looks for a runtime. One that was found is remembered; a missing one is looked for again after some seconds. */
  find(): Promise<ContainerState>;
  /** Waits for the first search if it is under way; later ones run in the background. */
  refresh(): Promise<void>;
  /** Whether the operator allows it. */
  allows(permission: ContainerPermission): boolean;
}

const OPEN_NETWORKS: ReadonlySet<string> = new Set(["none", "bridge"]);

/** The permissions that these options need. */
export function neededPermissions(options: ContainerOptions): ContainerPermission[] {
  const { volumes = [], isPrivileged, network = "bridge", ports = [], host, isDetached } = options;
  const needed: Readonly<Record<ContainerPermission, boolean>> = {
    volumes: volumes.length > 0,
    privileged: isPrivileged === true,
    networks: !OPEN_NETWORKS.has(network),
    ports: ports.length > 0,
    hosts: host !== undefined,
    manage: isDetached === true,
  };
  return CONTAINER_PERMISSIONS.filter((permission) => needed[permission]);
}
