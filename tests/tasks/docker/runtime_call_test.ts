/** The types of docker without a runtime: the arguments that it would get, and what is refused before. */
import { assertEquals, assertMatch, assertRejects } from "@std/assert";
import { type JsonObject, stringifyJson } from "../../../src/base/json.ts";
import type { ContainerPermission, RuntimePlace } from "../../../src/model/ports/containers.ts";
import type { ProcessCommand, ProcessEnd, ScriptPlaces } from "../../../src/model/ports/processes.ts";
import type { RunContext } from "../../../src/model/ports/run_context.ts";
import type { RunnableTaskType } from "../../../src/model/tasks/task_catalog.ts";
import { DOCKER_TASKS } from "../../../src/tasks/docker/registry.ts";
import { withTempDir } from "../../support/temp_dir.ts";

interface Ran {
  /** Arguments of each call, with `DIR` for the working directory and `OWN` for a directory of the attempt. */
  readonly calls: readonly string[];
  readonly places: readonly RuntimePlace[];
  readonly outputs: JsonObject;
  readonly logs: readonly string[];
}

function typeOf(name: string): RunnableTaskType {
  const type = DOCKER_TASKS.find(({ type }) =>
    type === (name.includes(".") ? `docker.${name}` : `docker.cli.${name}`)
  );
  if (type?.form === "runnable") return type;
  throw new Error(`There is no type "${name}"`);
}

/** Runs a task; `respond` is what the runtime does with its arguments. */
async function run(
  name: string,
  properties: JsonObject,
  respond: (args: readonly string[], command: ProcessCommand) => ProcessEnd | Promise<ProcessEnd> = () => ({
    exitCode: 0,
  }),
): Promise<Ran> {
  return await withTempDir(async (folder) => {
    const calls: string[] = [], places: RuntimePlace[] = [], logs: string[] = [];
    const workingDirectory = `${folder}/work`;
    await Deno.mkdir(workingDirectory);
    const context = {
      taskRunId: "r",
      attemptNumber: 1,
      namespace: "demo",
      workingDirectory,
      signal: new AbortController().signal,
      log: (level: string, message: string) => void logs.push(`${level} ${message}`),
      logged: () => undefined,
      ports: {
        workingDirectories: {
          whenFree: () => Promise.resolve(),
          make: async (own: string) => (await Deno.mkdir(`${folder}/${own}`), `${folder}/${own}`),
          discard: () => {},
        },
        processes: {
          async run(_attempt: unknown, command: ProcessCommand) {
            const args = command.command.join(" ").replaceAll(workingDirectory, "DIR");
            calls.push(args.replaceAll(`${folder}/r-1-build`, "OWN"));
            if (command.place.type === "runtime") places.push(command.place);
            const file = command.command.find((word) => word.startsWith("--iidfile="));
            if (file) await Deno.writeTextFile(file.slice("--iidfile=".length), "sha256:abc\n");
            return await respond(command.command, command);
          },
        },
      },
    } as unknown as RunContext;
    const { outputs = {} } = await typeOf(name).run(properties, context);
    return { calls, places, outputs: outputs as JsonObject, logs };
  });
}

/** Type, properties, and the calls of the runtime. */
const CALLS: readonly (readonly [type: string, properties: JsonObject, calls: readonly string[]])[] = [
  ["Pull", { image: "a/b:1" }, ["pull --quiet -- a/b:1"]],
  ["Pull", { image: "b", credentials: { registry: "https://ghcr.io/x" } }, ["pull --quiet -- ghcr.io/b"]],
  ["Pull", { image: "b", credentials: { registry: "https://index.docker.io/v1/" } }, ["pull --quiet -- b"]],
  ["Push", { tags: ["https://r.io/a:1", "r.io/a:2"] }, ["push -- r.io/a:1", "push -- r.io/a:2"]],
  ["Tag", { sourceImage: "a", targetImage: "r.io/a:1" }, ["tag -- a r.io/a:1"]],
  ["Stop", { containerId: "c" }, ["stop -- c", "rm --volumes -- c"]],
  ["Stop", { containerId: "c", kill: true, delete: false }, ["kill -- c"]],
  ["Rm", { containerIds: ["c", "d"], imageIds: "a:1" }, ["rm -- c d", "rmi -- a:1"]],
  ["Rm", { containerIds: ["c"], force: true, removeVolumes: true }, ["rm --force --volumes -- c"]],
  ["Rm", {}, []],
  ["Prune", { pruneType: "IMAGES" }, ["image prune --force --all"]],
  ["Prune", { pruneType: "IMAGES", dangling: true, until: "24h" }, [
    "image prune --force --filter=until=24h",
  ]],
  ["Prune", { pruneType: "VOLUMES", labelFilters: ["a=b"] }, ["volume prune --force --filter=label=a=b"]],
  ["model.Pull", { model: "hf.co/Acme/Tiny-GGUF:Q4_K_M" }, ["model pull hf.co/Acme/Tiny-GGUF:Q4_K_M"]],
  ["model.Delete", { model: "ai/smollm2" }, ["model rm ai/smollm2"]],
  ["ImageLs", {}, ["images --quiet --no-trunc"]],
  ["ImageLs", { showAll: true, imageNameFilter: "a*", labelFilter: { k: "v" } }, [
    "images --quiet --no-trunc --all --filter=reference=a* --filter=label=k=v",
  ]],
  ["Build", { tags: "a:1", dockerfile: "FROM scratch" }, [
    "build --file=OWN/Dockerfile --iidfile=OWN/image-id --tag=a:1 --pull -- DIR",
  ]],
  ["Build", {
    ...{
      tags: ["a:1", "b"],
      dockerfile: "sub/File",
      inputFiles: { "sub/File": "FROM a" },
      pull: false,
      push: true,
    },
    ...{
      platforms: ["linux/amd64", "linux/arm64"],
      buildArgs: { PATH: null, A: "x y" },
      labels: { l: 1 },
      target: "t",
    },
  }, [
    "build --file=DIR/sub/File --iidfile=OWN/image-id --tag=a:1 --tag=b --platform=linux/amd64,linux/arm64 " +
    "--build-arg=PATH= --build-arg=A=x y --label=l=1 --target=t -- DIR",
    "push -- a:1",
    "push -- b",
  ]],
];

for (const [type, properties, calls] of CALLS) {
  Deno.test(`${type} calls the runtime for ${stringifyJson(properties)}`, async () => {
    const ran = await run(type, properties);
    assertEquals(ran.calls, calls);
    const needed: readonly ContainerPermission[] = type === "Pull" ? [] : ["manage"];
    assertEquals(ran.places.map(({ permissions }) => permissions), calls.map(() => needed));
  });
}

Deno.test("Build gives the id of the image, and logs both streams", async () => {
  const { outputs, logs } = await run(
    "Build",
    { tags: "a", dockerfile: "FROM scratch" },
    async (_args, command) => {
      await command.onLine({ text: "STEP 1", isError: false });
      await command.onLine({ text: "progress", isError: true });
      return { exitCode: 0 };
    },
  );
  assertEquals([outputs, logs], [{ imageId: "sha256:abc" }, ["INFO STEP 1", "INFO progress"]]);
});

/** What each runtime prints about an image. */
const INSPECTED = [
  {
    Id: "sha256:a",
    RepoTags: ["a:1"],
    RepoDigests: [],
    Size: 5,
    Created: "2026-01-02T03:04:05.123456789Z",
    Config: { Labels: { l: "v" } },
  },
  { Id: "b", RepoTags: null, Size: 6, Created: "2026-01-02T03:04:05Z", Labels: null },
];

Deno.test("ImageLs reads what Docker and Podman say of images, each image once", async () => {
  const { outputs, calls } = await run("ImageLs", {}, async (args, command) => {
    const text = args[0] === "images" ? "a\na\nb\n" : stringifyJson(INSPECTED, 2);
    for (const line of text.split("\n")) await command.onLine({ text: line, isError: false });
    return { exitCode: 0 };
  });
  assertEquals(calls[1], "image inspect -- a b");
  assertEquals(outputs, {
    images: [
      {
        id: "sha256:a",
        repoTags: ["a:1"],
        repoDigests: [],
        size: 5,
        created: 1767323045,
        labels: { l: "v" },
      },
      { id: "sha256:b", repoTags: [], repoDigests: [], size: 6, created: 1767323045, labels: {} },
    ],
    count: 2,
  });
});

Deno.test("model.List gives the models that the runtime prints", async () => {
  const printed = [{
    id: "sha256:a",
    tags: ["ai/smollm2:latest"],
    created: 1742816981,
    config: { format: "gguf" },
  }];
  const print = (text: string) => async (_args: readonly string[], { onLine }: ProcessCommand) => {
    await onLine({ text, isError: false });
    return { exitCode: 0 };
  };
  const { outputs, calls } = await run("model.List", {}, print(stringifyJson(printed)));
  assertEquals([outputs, calls], [{ models: printed, count: 1 }, ["model list --json"]]);
  await assertRejects(
    () => run("model.List", {}, print("no models")),
    Error,
    "the runtime printed no JSON list",
  );
});

/** Names that the runtime would take for options, or that name nothing. */
const REFUSED: readonly (readonly [type: string, properties: JsonObject, error: RegExp])[] = [
  ["Pull", { image: "--help" }, /^"--help" is not an image reference/],
  ["Push", { tags: ["a b"] }, /^"a b" is not an image reference/],
  ["model.Pull", { model: "--help" }, /^"--help" is not the name of a model/],
  ["model.Delete", { model: "a b" }, /^"a b" is not the name of a model/],
  ["Tag", { sourceImage: "a", targetImage: "-f" }, /^"-f" is not an image reference/],
  ["Stop", { containerId: "--all" }, /^"--all" is not the id or the name of a container$/],
  ["Rm", { containerIds: ["a", "/b"] }, /^"\/b" is not the id or the name of a container$/],
  ["Build", { tags: ["$x"], dockerfile: "FROM a" }, /^"\$x" is not an image reference/],
  ["Prune", { pruneType: "ALL" }, /^Invalid pruneType "ALL"/],
  [
    "Pull",
    { image: "a", config: { auths: {}, credsStore: "x" } },
    /only "auths" is read; remove "credsStore"/,
  ],
];

for (const [type, properties, expected] of REFUSED) {
  Deno.test(`${type} refuses ${stringifyJson(properties)}`, async () => {
    assertMatch((await assertRejects(() => run(type, properties), Error)).message, expected);
  });
}

Deno.test("a call that fails has the last error lines of the runtime", async () => {
  const failing = (words: string) => () =>
    run("Tag", { sourceImage: "a", targetImage: "b" }, async (_args, { onLine }) => {
      if (words !== "") await onLine({ text: words, isError: true });
      return { exitCode: 125 };
    });
  assertMatch(
    (await assertRejects(failing("no such image"), Error)).message,
    /^Cannot tag the image "a" as "b": no such image$/,
  );
  assertMatch((await assertRejects(failing(""), Error)).message, /: the runtime ended with exit code 125$/);
});

function placesOf(allowed: readonly ContainerPermission[]): ScriptPlaces {
  return {
    policy: { mode: "container", reason: "it is so" },
    containers: {
      known: { runtime: "podman", version: "5" },
      find: () => Promise.resolve({ runtime: "podman", version: "5" }),
      refresh: () => Promise.resolve(),
      allows: (permission) => allowed.includes(permission),
    },
  };
}

/** Properties, what the operator allows, and the paths of the problems when the flow is saved. */
const CHECKS: readonly (readonly [string, JsonObject, readonly ContainerPermission[], readonly string[]])[] =
  [
    ["Build", { tags: ["a"] }, [], ["type"]],
    ["Build", { tags: ["a"] }, ["manage"], []],
    ["Run", { containerImage: "a" }, [], []],
    ["Run", { containerImage: "a", wait: false }, [], ["wait"]],
    ["Run", { containerImage: "a", wait: "{{ inputs.wait }}" }, [], []],
    ["Run", { containerImage: "a", wait: false }, ["manage"], []],
    ["Run", { containerImage: "--privileged" }, [], ["containerImage"]],
    ["Run", { containerImage: "a", privileged: true, volumes: ["/:/host"] }, [], ["volumes", "privileged"]],
    ["Run", { containerImage: "a", networkMode: "host", portBindings: ["80:80"], host: "tcp://a:1" }, [], [
      ...["networkMode", "portBindings", "host"],
    ]],
  ];

for (const [type, properties, allowed, paths] of CHECKS) {
  Deno.test(`${type} is checked for ${stringifyJson([properties, allowed])}`, () => {
    const problems = typeOf(type).check?.(properties, placesOf(allowed)) ?? [];
    assertEquals(problems.map(({ path }) => path.join(".")), paths);
  });
}
