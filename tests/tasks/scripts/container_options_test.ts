import { assertEquals, assertMatch, assertThrows } from "@std/assert";
import type { JsonObject, JsonValue } from "../../../src/base/json.ts";
import type { ContainerOptions } from "../../../src/model/ports/containers.ts";
import {
  inspectContainerOptions,
  readContainerOptions,
} from "../../../src/tasks/scripts/container_options.ts";

const MIB = 1024 ** 2;

/** A property of a runner, and the options that it gives. */
const READ: readonly (readonly [properties: JsonObject, options: ContainerOptions])[] = [
  [{ pullPolicy: "ALWAYS" }, { pull: "always" }],
  [{ pullPolicy: "if_not_present" }, { pull: "missing" }],
  [{ pullPolicy: "NEVER" }, { pull: "never" }],
  [{ user: "1000:1000" }, { user: "1000:1000" }],
  [{ entryPoint: ["/bin/sh", "-c"] }, { entryPoint: ["/bin/sh", "-c"] }],
  [{ entryPoint: [""] }, { entryPoint: undefined }],
  [{ networkMode: "none" }, { network: "none" }],
  [{ networkMode: "default" }, { network: undefined }],
  [{ networkMode: "kestra_default" }, { network: "kestra_default" }],
  [{ extraHosts: ["db:10.0.0.5", "host.docker.internal:host-gateway"] }, {
    extraHosts: ["db:10.0.0.5", "host.docker.internal:host-gateway"],
  }],
  [{ portBindings: ["8080:80/udp", "127.0.0.1:8080:80"] }, { ports: ["8080:80/udp", "127.0.0.1:8080:80"] }],
  [{ volumes: ["/data:/data:ro", "cache:/cache"] }, { volumes: ["/data:/data:ro", "cache:/cache"] }],
  [{ cpu: { cpus: "1.5" } }, { cpus: 1.5 }],
  [{ shmSize: "64Mb" }, { sharedMemoryBytes: 64 * MIB }],
  [{ privileged: "true" }, { isPrivileged: true }],
  [{ host: "tcp://10.0.0.5:2375" }, { host: "tcp://10.0.0.5:2375" }],
  [{ host: "unix:///var/run/docker.sock" }, { host: undefined }],
  [{ fileHandlingStrategy: "VOLUME" }, { copiesFiles: true }],
  [{ fileHandlingStrategy: "MOUNT" }, { copiesFiles: false }],
  [{ delete: false }, { isKept: true }],
  [{ wait: true }, {}],
  [{ killGracePeriod: "PT10S" }, { graceMs: 10_000 }],
  [{ image: "ubuntu", resume: true, unknown: 1 }, {}],
];

for (const [properties, options] of READ) {
  Deno.test(`readContainerOptions() reads ${JSON.stringify(properties)}`, () => {
    assertEquals(readContainerOptions(properties, "ubuntu"), options);
  });
}

Deno.test("readContainerOptions() reads limits of memory in powers of 1,024", () => {
  const memory = { memory: "512MB", memorySwap: "1g", memoryReservation: "0.5GB", memorySwappiness: "10" };
  assertEquals(readContainerOptions({ memory }, "ubuntu").memory, {
    limitBytes: 512 * MIB,
    swapBytes: 1024 * MIB,
    reservationBytes: 512 * MIB,
    swappiness: 10,
    isOomKillDisabled: false,
  });
  const unlimited = readContainerOptions({ memory: { memory: "1G", memorySwap: "-1" } }, "ubuntu").memory;
  assertEquals(unlimited?.swapBytes, -1);
});

Deno.test("readContainerOptions() reads requests for devices", () => {
  const deviceRequests: JsonValue = [{ driver: "nvidia", count: 2, capabilities: [["gpu", "utility"]] }, {
    deviceIds: ["0", "GPU-3a"],
    options: { key: "value" },
  }];
  assertEquals(readContainerOptions({ deviceRequests }, "ubuntu").devices, [
    { count: 2, ids: undefined, capabilities: ["gpu", "utility"], options: undefined },
    { count: -1, ids: ["0", "GPU-3a"], capabilities: [], options: new Map([["key", "value"]]) },
  ]);
});

Deno.test("readContainerOptions() reads the older names of host and config", () => {
  const older = { dockerHost: "tcp://db:1", dockerConfig: '{"auths": {"ghcr.io": {"auth": "eDp5"}}}' };
  const { host, logins } = readContainerOptions(older, "ubuntu");
  assertEquals([host, logins?.get("ghcr.io")?.auth], ["tcp://db:1", "eDp5"]);
});

/** A property with a value that is refused, and the reason. */
const REFUSED: readonly (readonly [name: string, value: JsonValue, reason: RegExp])[] = [
  ["user", "root --privileged", /^Invalid user "root --privileged": it must be a user such as/],
  ["user", "-u0", /^Invalid user/],
  ["networkMode", "container:abc", /^Invalid networkMode "container:abc": it must be none, bridge, host or/],
  ["networkMode", "ns:/proc/1/ns/net", /^Invalid networkMode/],
  ["extraHosts", ["db"], /^Invalid extraHosts "db": it must be a host such as "db:10.0.0.5"/],
  ["extraHosts", ["-x:10.0.0.5"], /^Invalid extraHosts/],
  ["portBindings", ["eighty:80"], /^Invalid portBindings/],
  ["volumes", ["/data"], /^Invalid volumes "\/data": it must be a volume such as/],
  ["volumes", ["/data:relative"], /^Invalid volumes/],
  ["host", "ssh://-oProxyCommand=touch", /^Invalid host/],
  ["host", "http://example.org", /^Invalid host/],
  ["cpu", { cpus: 0 }, /^Invalid cpu.cpus "0": it must be a number greater than 0/],
  ["memory", { memory: "much" }, /^Invalid memory.memory "much": it must be a size such as "512MB"/],
  ["memory", { memorySwap: "1G" }, /^Invalid memory.memorySwap: it needs a limit; give `memory` beside it/],
  ["memory", { oomKillDisable: true }, /^Invalid memory.oomKillDisable: it needs a limit/],
  ["memory", { memorySwappiness: "101" }, /^Invalid memory.memorySwappiness/],
  ["shmSize", "0", /^Invalid shmSize/],
  ["pullPolicy", "SOMETIMES", /^Invalid pullPolicy "SOMETIMES": it must be ALWAYS, IF_NOT_PRESENT, NEVER/],
  ["deviceRequests", [{ driver: "cdi" }], /^Invalid deviceRequests.driver "cdi"/],
  ["deviceRequests", [{ deviceIds: ['0"'] }], /^Invalid deviceRequests/],
  ["deviceRequests", [{ capabilities: [["gpu"], ["tpu"]] }], /only one list of capabilities/],
  ["wait", false, /^"wait: false" is not supported: a container ends with its task/],
  ["killGracePeriod", "-PT1S", /^Invalid killGracePeriod/],
  ["config", { credsStore: "x" }, /^Invalid config: only "auths" is read; remove "credsStore"/],
  ["config", "{password: hunter2", /^Invalid config: it must be a map, or its JSON$/],
  ["credentials", { registry: "not an address" }, /^Invalid registry/],
];

for (const [name, value, reason] of REFUSED) {
  Deno.test(`readContainerOptions() refuses ${name}: ${JSON.stringify(value)}`, () => {
    const { mistakes } = inspectContainerOptions({ [name]: value }, "ubuntu", () => true);
    assertEquals(mistakes.map((mistake) => mistake.name), [name]);
    assertMatch(mistakes[0]?.message ?? "", reason);
    const error = assertThrows(() => readContainerOptions({ [name]: value }, "ubuntu"), Error);
    assertEquals(error.message, `Cannot run commands in a container: ${mistakes[0]?.message}`);
  });
}

Deno.test("inspectContainerOptions() leaves out what is not known yet", () => {
  const runner = { user: "{{ inputs.user }}", networkMode: "none" };
  const { options, mistakes } = inspectContainerOptions(runner, "ubuntu", (value) => value === "none");
  assertEquals([options, mistakes], [{ network: "none" }, []]);
});
