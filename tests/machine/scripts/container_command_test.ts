/** What the container runtime of the server gets: nothing that a flow could steer it with. */
import { assert, assertEquals, assertMatch, assertRejects, assertThrows, fail } from "@std/assert";
import { systemClock } from "../../../src/base/time/clock.ts";
import { systemRandomBytes } from "../../../src/base/id.ts";
import { clientEnvironment } from "../../../src/machine/scripts/environment.ts";
import { clientCommand } from "../../../src/machine/scripts/container_command.ts";
import { RUNTIMES } from "../../../src/machine/scripts/container_runtimes.ts";
import { ContainerHost } from "../../../src/machine/scripts/container_host.ts";
import { isImageReference } from "../../../src/model/tasks/image_reference.ts";
import { Processes, type ProcessOptions } from "../../../src/machine/scripts/processes.ts";
import { WorkDirectories } from "../../../src/machine/scripts/work_directories.ts";
import type {
  ContainerPermission,
  ContainerPlace,
  DeviceRequest,
  RuntimePlace,
} from "../../../src/model/ports/containers.ts";
import type { ProcessCommand, ProcessEnd } from "../../../src/model/ports/processes.ts";
import { FakeClock } from "../../support/fakes/fake_clock.ts";
import { ATTEMPT, shellScript } from "../../support/processes/scripts.ts";
import { until } from "../../support/processes/machine_processes.ts";
import { withTempDir, writeProgram } from "../../support/temp_dir.ts";

/** Records its arguments, its environment and the environment file of each call, beside itself. */
const FAKE_DOCKER = `#!/bin/sh
folder=\${0%/*}
[ "$1" != version ] || { echo 1.2.3; exit 0; }
if [ "$1" = rm ] || [ "$1" = kill ]; then echo "$*" >> "$folder/removed"; env >> "$folder/removed-env"; exit 0; fi
for word; do printf '%s\\n' "$word"; done > "$folder/args"
env -0 > "$folder/env"
for word; do
  case $word in --env-file=*) cp "\${word#*=}" "$folder/file"; stat -c %a "\${word#*=}" > "$folder/mode" ;; esac
done
[ ! -e "$DOCKER_CONFIG/config.json" ] ||
  echo "$(stat -c %a "$DOCKER_CONFIG/config.json") $(cat "$DOCKER_CONFIG/config.json")" | tr -d '\\n' > "$folder/login"
[ -z "$FAKE_DOCKER_WAITS" ] || { echo up; exec sleep 1000000000; }
echo ran
exit "\${FAKE_DOCKER_EXIT:-0}"
`;

interface Called {
  readonly args: readonly string[];
  /** Variables of the command. */
  readonly env: ReadonlyMap<string, string>;
  /** Content of the environment file. */
  readonly file: string;
  readonly mode: string;
  readonly end: ProcessEnd;
}

interface ContainerRun extends Partial<Omit<ProcessCommand, "place">> {
  readonly place?: Partial<ContainerPlace>;
  /** Calls the runtime itself. */
  readonly runtime?: RuntimePlace;
  readonly allowed?: readonly ContainerPermission[];
  readonly options?: Partial<ProcessOptions>;
  readonly clientEnv?: Readonly<Record<string, string>>;
}

/** Runs a command in a container of the fake program; `use` gets the folder of the records afterwards. */
async function run(
  { place, runtime, options, clientEnv, allowed, ...rest }: ContainerRun,
  use: (folder: string) => Promise<void> | void = () => {},
): Promise<Called> {
  return await withTempDir(async (folder) => {
    await writeProgram(`${folder}/docker`, FAKE_DOCKER);
    await using directories = new WorkDirectories(undefined);
    const env = new Map([["PATH", `${folder}:/bin:/usr/bin`]]);
    const programEnv = { ...Object.fromEntries(env), ...clientEnv };
    await using processes = new Processes(
      { clock: systemClock, host: "127.0.0.1", ...options },
      () => 1,
      {
        env,
        clientEnv: programEnv,
        containers: new ContainerHost({ clock: new FakeClock(), env: programEnv, runtime: "auto", allowed }),
        directories,
        randomBytes: systemRandomBytes,
      },
    );
    const command = shellScript("echo hi", { onLine: () => {}, ...rest });
    const end = await processes.run(ATTEMPT, {
      ...command,
      place: runtime ?? { type: "container", image: "ubuntu", ...place },
    });
    await use(folder);
    const read = (name: string) => Deno.readTextFile(`${folder}/${name}`);
    // A call of the runtime itself has none.
    const readIfThere = (name: string) => runtime ? "" : read(name);
    const variables = (await read("env")).split("\0").filter((line) => line.includes("="))
      .map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)] as const);
    return {
      args: (await read("args")).split("\n").slice(0, -1),
      env: new Map(variables),
      file: await readIfThere("file"),
      mode: (await readIfThere("mode")).trim(),
      end,
    };
  });
}

const HOSTILE = new Map([
  ["LD_PRELOAD", "/tmp/evil.so"],
  ["PATH", "/tmp/evil"],
  ["DOCKER_HOST", "tcp://evil"],
  ["DOCKER_CONFIG", "/tmp/evil"],
  ["HOME", "/tmp/evil"],
]);

Deno.test("variables of a flow are in the container and not in the environment of the docker command", async () => {
  const { env, file, mode, args } = await run({ env: HOSTILE, clientEnv: { DOCKER_HOST: "unix:///own" } });
  assertEquals(env.get("DOCKER_HOST"), "unix:///own");
  for (const [name, value] of HOSTILE) assert(env.get(name) !== value, name);
  assertEquals(file, [...HOSTILE].map(([name, value]) => `${name}=${value}\n`).join(""));
  assertEquals(mode, "600");
  assert(!args.some((word) => word.includes("evil")), args.join(" "));
});

Deno.test("the environment file of a container is removed when its command has ended", async () => {
  await withTempDir(async (dataDir) => {
    await writeProgram(`${dataDir}/docker`, FAKE_DOCKER);
    await using directories = new WorkDirectories(dataDir);
    const env = new Map([["PATH", `${dataDir}:/bin:/usr/bin`]]);
    await using processes = new Processes(
      { clock: systemClock, host: "127.0.0.1" },
      () => 1,
      {
        env,
        containers: new ContainerHost({
          clock: new FakeClock(),
          env: Object.fromEntries(env),
          runtime: "docker",
        }),
        directories,
        randomBytes: systemRandomBytes,
      },
    );
    const place = { type: "container", image: "ubuntu" } as const;
    await processes.run(ATTEMPT, shellScript("echo hi", { onLine: () => {}, place, env: HOSTILE }));
    assertEquals([...Deno.readDirSync(directories.pathOf("."))], []);
  });
});

Deno.test("a value with line breaks reaches the container under its name, through a shell there", async () => {
  const value = "-----BEGIN KEY-----\nDOCKER_HOST=tcp://evil\n-----END KEY-----\r\n";
  const env = new Map([["KEY", value], ["LD_PRELOAD", "a\nb"], ["PLAIN", "x"]]);
  const called = await run({ env });
  assertEquals(called.file, "PLAIN=x\n");
  assertEquals(called.env.get("SLUICE_VALUE_0"), value);
  assertEquals([called.env.has("KEY"), called.env.has("LD_PRELOAD")], [false, false]);
  assert(!called.args.some((word) => word.includes("BEGIN")), "no argument has the value");
  const end = called.args.slice(called.args.indexOf("--") + 1);
  assertEquals(end[0], "ubuntu");
  const inside = await new Deno.Command("/bin/sh", {
    args: [...end.slice(1, -1), 'printf "%s|%s|%s" "$KEY" "$LD_PRELOAD" "$SLUICE_VALUE_0"'],
    env: { SLUICE_VALUE_0: value, SLUICE_VALUE_1: "" },
    clearEnv: true,
  }).output();
  assertEquals(new TextDecoder().decode(inside.stdout), `${value}||`);
});

Deno.test("a variable whose name could change the environment file is refused by name", async () => {
  for (const name of ["A B", "A\nDOCKER_HOST", "#A", " A", "A'", "1A", ""]) {
    const error = await assertRejects(() => run({ env: new Map([[name, "x"]]) }), Error);
    assertMatch(error.message, /^Cannot run commands in a container: "[^]*" cannot be a variable there;/);
  }
  await assertRejects(() => run({ env: new Map([["a.b", "x\ny"]]) }), Error, "cannot be a variable there");
});

const NO_IMAGES = [
  ...["--volume=/:/host", "-v/:/host", "", " ", "ubuntu --privileged", "ubuntu\n--privileged", "Ubuntu"],
  ...[
    "a//b",
    "/a",
    "a/",
    "a:",
    "a:-tag",
    "a@sha256:xyz",
    "a@b@c",
    "http://host/a",
    "a_/b",
    "-host/a",
    "host-/a",
  ],
  ...["a".repeat(256), `a:${"t".repeat(129)}`, "../a", "a/../b", "host:port/a", "$(id)", "a;b"],
];
const IMAGES = [
  ...["ubuntu", "ubuntu:24.04", "python:3.13-slim", "library/ubuntu", "ghcr.io/kestra-io/pydata:latest"],
  ...["localhost:5000/a/b-c__d.e:V1_x", "[2001:db8::1]:5000/a", "Host.Example/a", "a--b", "127.0.0.1:80/a"],
  ...[`a@sha256:${"0123456789abcdef".repeat(4)}`, `host/a:1@sha512:${"a".repeat(128)}`, "0123456789ab"],
];

Deno.test("isImageReference() knows the grammar of image references", () => {
  assertEquals(NO_IMAGES.filter(isImageReference), []);
  assertEquals(IMAGES.filter((image) => !isImageReference(image)), []);
});

Deno.test("no property of a task becomes an option of the docker command", async () => {
  for (const image of NO_IMAGES) {
    const error = await assertRejects(() => run({ place: { image } }), Error);
    assertMatch(error.message, /^Cannot run commands in a container: "[^]*" is not an image .*; correct `/);
  }
  const { args } = await run({
    place: { image: "localhost:5000/a", pull: "missing", user: "1000:1000" },
    command: ["--privileged", "--volume=/:/host", "$(id)"],
  });
  const end = args.indexOf("--");
  assertEquals(args.slice(end - 3), [
    ...["--pull=missing", "--user=1000:1000", "--entrypoint=--privileged"],
    ...["--", "localhost:5000/a", "--volume=/:/host", "$(id)"],
  ]);
  assert(args.slice(0, end).every((word, index) => index < 1 || /^--[a-z]+(?:-file)?(?:=|$)/.test(word)));
});

Deno.test("a container of a stopped script is removed with the environment of the server before its run ends", async () => {
  const controller = new AbortController();
  await run({
    env: HOSTILE,
    signal: controller.signal,
    clientEnv: { FAKE_DOCKER_WAITS: "1", DOCKER_HOST: "unix:///own" },
    onLine: () => controller.abort(),
  }, async (folder) => {
    assertMatch(
      await Deno.readTextFile(`${folder}/removed`),
      /^rm --force --volumes sluice-r-1-[0-9a-f]{16}\n/,
    );
    const env = await Deno.readTextFile(`${folder}/removed-env`);
    assertMatch(env, /^DOCKER_HOST=unix:\/\/\/own$/m);
    assert(!env.includes("evil"), env);
    // The watchdog removes it, too, as it would if the server were gone.
    await until(async () => (await Deno.readTextFile(`${folder}/removed`)).split("\n").length > 2);
  });
});

Deno.test("a container is removed after its end, by another call than the one that tells the exit code", async () => {
  const { args, end } = await run({ clientEnv: { FAKE_DOCKER_EXIT: "7" } }, async (folder) => {
    const removed = () => Deno.readTextFile(`${folder}/removed`).catch(() => "");
    await until(async () => /^rm --force --volumes sluice-r-1-[0-9a-f]{16}\n/.test(await removed()));
  });
  assertEquals([end.exitCode, args.includes("--rm")], [7, false]);
});

Deno.test("a container gets the limits of scripts, and one that is killed names the limit of memory", async () => {
  const scriptLimits = { memoryBytes: 1024 ** 3, cpus: 0.5, processes: 64 };
  const { args, end } = await run({ options: { scriptLimits }, clientEnv: { FAKE_DOCKER_EXIT: "137" } });
  const limits = ["--memory=1073741824b", "--memory-swap=1073741824b", "--cpus=0.5", "--pids-limit=64"];
  assertEquals(args.filter((word) => /^--(?:memory|cpus|pids)/.test(word)), limits);
  assertEquals(end, {
    exitCode: 137,
    reason: "Cannot continue: the script needs more memory than the 1 GB of --script-memory, " +
      "or something else has killed its container",
  });
  assertEquals((await run({ clientEnv: { FAKE_DOCKER_EXIT: "137" } })).end, {
    exitCode: 137,
    reason: undefined,
  });
});

/** What a flow chooses, and the options that it becomes, without those of the server. */
const CHOICES: readonly (readonly [place: Partial<ContainerPlace>, options: readonly string[]])[] = [
  [{ network: "none" }, ["--network=none"]],
  [{ extraHosts: ["a:10.0.0.1", "b:10.0.0.2"] }, ["--add-host=a:10.0.0.1", "--add-host=b:10.0.0.2"]],
  [{ ports: ["80:80"] }, ["--publish=80:80"]],
  [{ volumes: ["/data:/data"] }, ["--volume=/data:/data"]],
  [{ isPrivileged: true }, ["--privileged"]],
  [{ sharedMemoryBytes: 1_048_576 }, ["--shm-size=1048576b"]],
  [{ cpus: 0.25 }, ["--cpus=0.25"]],
  [{ memory: { limitBytes: 100, swapBytes: -1, swappiness: 0 } }, [
    ...["--memory=100b", "--memory-swap=-1", "--memory-swappiness=0"],
  ]],
  [{ memory: { limitBytes: 100, reservationBytes: 200, isOomKillDisabled: true } }, [
    ...["--memory=100b", "--memory-reservation=100b", "--oom-kill-disable"],
  ]],
  [{ devices: [{ count: -1 }] }, ["--gpus=count=all"]],
  [{ devices: [{ ids: ["0", "1"], capabilities: ["gpu", "utility"] }] }, [
    '--gpus="device=0,1","capabilities=gpu,utility"',
  ]],
];
const ALL = ["volumes", "privileged", "networks", "ports", "hosts", "manage"] as const;
const OF_SERVER = /^--(?:name|workdir|env-file|label|quiet|entrypoint)(?:=|$)/;

for (const [place, options] of CHOICES) {
  Deno.test(`a container gets the options of ${JSON.stringify(place)}`, async () => {
    const { args } = await run({ place, allowed: ALL });
    const given = args.slice(0, args.indexOf("--")).filter((word) =>
      word.startsWith("--") && !OF_SERVER.test(word) && word !== "--volume=/tmp:/tmp"
    );
    assertEquals(given, options);
  });
}

Deno.test("what a task chooses is bounded by the limits of the server", async () => {
  const scriptLimits = { memoryBytes: 1000, cpus: 2 };
  const optionsOf = async (place: Partial<ContainerPlace>) => {
    const { args } = await run({ place, options: { scriptLimits } });
    return args.filter((word) => /^--(?:memory|cpus)/.test(word));
  };
  assertEquals(await optionsOf({ cpus: 4, memory: { limitBytes: 5000, swapBytes: -1 } }), [
    ...["--memory=1000b", "--memory-swap=1000b", "--cpus=2"],
  ]);
  assertEquals(await optionsOf({ cpus: 1, memory: { limitBytes: 500, swapBytes: 800 } }), [
    ...["--memory=500b", "--memory-swap=800b", "--cpus=1"],
  ]);
});

Deno.test("a container whose own limit of memory ended it says so", async () => {
  const memory = { limitBytes: 1024 ** 2 };
  const { end } = await run({ place: { memory }, clientEnv: { FAKE_DOCKER_EXIT: "137" } });
  assertMatch(end.reason ?? "", /needs more memory than the 1 MB of its task runner, or something else/);
});

Deno.test("a container that cannot be created says which image, and the way out", async () => {
  const { end } = await run({ clientEnv: { FAKE_DOCKER_EXIT: "125" } });
  assertEquals(end.exitCode, 125);
  assertMatch(
    end.reason ?? "",
    /of the image "ubuntu": docker could not create it, .* correct `containerImage`/,
  );
});

Deno.test("a flow needs the permission of the operator for what reaches beyond its container", async () => {
  const places: readonly (readonly [string, Partial<ContainerPlace>])[] = [
    ["volumes", { volumes: ["/:/host"] }],
    ["privileged", { isPrivileged: true }],
    ["networks", { network: "host" }],
    ["ports", { ports: ["80:80"] }],
    ["hosts", { host: "tcp://10.0.0.5:2375" }],
    ["manage", { isDetached: true }],
  ];
  for (const [permission, place] of places) {
    const error = await assertRejects(() => run({ place }), Error);
    assertMatch(
      error.message,
      new RegExp(`does not allow it; start it with --container-allow ${permission}$`),
    );
  }
});

Deno.test("a container keeps the entry point of its image if its place says so and gives none", async () => {
  const afterImage = async (place: Partial<ContainerPlace>, command: readonly string[]) => {
    const { args } = await run({ place: { keepsEntryPoint: true, ...place }, command });
    return [args.find((word) => word.startsWith("--entrypoint")), ...args.slice(args.indexOf("--") + 1)];
  };
  assertEquals(await afterImage({}, []), [undefined, "ubuntu"]);
  assertEquals(await afterImage({}, ["--help", "-x"]), [undefined, "ubuntu", "--help", "-x"]);
  assertEquals(await afterImage({ entryPoint: ["sh", "-c"] }, ["a"]), [
    "--entrypoint=sh",
    "ubuntu",
    "-c",
    "a",
  ]);
  const env = new Map([["LINES", "a\nb"]]);
  await assertRejects(() => run({ place: { keepsEntryPoint: true }, env }), Error, "need an `entryPoint`");
});

Deno.test("a detached container is created, gets the files, is started, and is not removed", async () => {
  let removed: string | undefined;
  const { args, end } = await run({ place: { isDetached: true }, allowed: ["manage"] }, async (folder) => {
    removed = await Deno.readTextFile(`${folder}/removed`).catch(() => undefined);
  });
  // The records are those of the last call.
  assertEquals([args, end.exitCode, removed], [["start", end.containerId], 0, undefined]);
});

Deno.test("a detached container that cannot be created leaves nothing", async () => {
  const { end } = await run({
    place: { isDetached: true },
    allowed: ["manage"],
    clientEnv: { FAKE_DOCKER_EXIT: "125" },
  });
  assertEquals([end.exitCode, end.containerId], [125, undefined]);
});

/** What a call of the runtime needs and may, and how it is refused. */
const RUNTIME_CALLS:
  readonly (readonly [RunOptions, allowed: readonly ContainerPermission[], error?: RegExp])[] = [
    [{}, []],
    [{ permissions: ["manage"] }, ["manage"]],
    [{ permissions: ["manage"] }, [], /^Cannot use the container runtime: .* --container-allow manage$/],
    [{ host: "tcp://10.0.0.5:2375" }, ["manage"], /--container-allow hosts$/],
    [{ host: "tcp://10.0.0.5:2375" }, ["hosts"]],
  ];

interface RunOptions {
  readonly permissions?: readonly ContainerPermission[];
  readonly host?: string;
}

Deno.test("a call of the runtime has its arguments, and the environment of the server alone", async () => {
  for (const [{ permissions = [], host }, allowed, expected] of RUNTIME_CALLS) {
    const place = { type: "runtime", permissions, host } as const;
    const call = () =>
      run({ runtime: place, allowed, command: ["tag", "--", "a", "b"], env: new Map([["X", "y"]]) });
    if (expected) {
      assertMatch((await assertRejects(call, Error)).message, expected);
      continue;
    }
    const { args, env } = await call();
    assertEquals(args, [...host === undefined ? [] : [`--host=${host}`], "tag", "--", "a", "b"]);
    assertEquals(env.has("X"), false);
  }
});

Deno.test("credentials of a registry are in a private file, and in no argument", async () => {
  const logins = new Map([["ghcr.io", { auth: "c2VjcmV0" }]]);
  const { args } = await run({ place: { logins } }, async (folder) => {
    assertEquals(await Deno.readTextFile(`${folder}/login`), '600 {"auths":{"ghcr.io":{"auth":"c2VjcmV0"}}}');
  });
  assert(!args.some((word) => word.includes("c2VjcmV0")));
});

Deno.test("containerCommand() uses another service as each runtime does", () => {
  const place = { type: "container", image: "a", host: "tcp://10.0.0.5:2375" } as const;
  const commandOf = (name: string) =>
    clientCommand({ runtime: RUNTIMES.find((each) => each.name === name) ?? fail(name), place });
  assertEquals(commandOf("docker"), ["docker", "--host=tcp://10.0.0.5:2375"]);
  assertEquals(commandOf("podman"), ["podman", "--remote", "--url=tcp://10.0.0.5:2375"]);
  assertThrows(() => commandOf("nerdctl"), Error, "nerdctl cannot use");
});

Deno.test("container runtimes request graphics processors in their own ways", () => {
  const optionsOf = (name: string, request: DeviceRequest) =>
    RUNTIMES.find((each) => each.name === name)?.deviceOptions(request);
  assertEquals(optionsOf("podman", {}), ["--device=nvidia.com/gpu=all"]);
  assertEquals(optionsOf("podman", { count: 2 }), ["--device=nvidia.com/gpu=0", "--device=nvidia.com/gpu=1"]);
  assertEquals(optionsOf("podman", { ids: ["3"] }), ["--device=nvidia.com/gpu=3"]);
  assertEquals(optionsOf("nerdctl", { count: 1 }), ["--gpus=count=1"]);
});

Deno.test("clientEnvironment() has what leads to Docker, and nothing that may be a secret", () => {
  const given = {
    PATH: "/bin",
    DOCKER_HOST: "x",
    DOCKER_CERT_PATH: "x",
    SLUICE_BASIC_AUTH: "x",
    SECRET_A: "x",
  };
  assertEquals(Object.keys(clientEnvironment(given)), ["PATH", "DOCKER_HOST", "DOCKER_CERT_PATH"]);
});
