/** `kubernetes.core.PodCreate` against a cluster whose containers are programs of this machine. */
import { assertEquals, assertMatch, assertRejects } from "@std/assert";
import type { JsonObject } from "../../../src/base/json.ts";
import { podCreate } from "../../../src/integrations/kubernetes/pod_create.ts";
import { type DefinitionRunOptions, runDefinition } from "../../support/flows/definition_run.ts";
import { runTasks } from "../../support/flows/run_flow.ts";
import { Harness } from "../../support/harness.ts";
import { PodCluster, type PodScript, refusal } from "../../support/servers/pod_cluster.ts";
import { withTempDir } from "../../support/temp_dir.ts";

const SPEC = { restartPolicy: "Never", containers: [{ name: "main", image: "debian", command: ["true"] }] };
const NAME = "h-t-r1-1";
const PODS = "/api/v1/namespaces/jobs/pods";
const SELECTOR = "labelSelector=kestra.io%2Ftaskrun-id%3Dr1%2Ckestra.io%2Ftaskrun-attempt%3D1";

function container(name: string, state: JsonObject): JsonObject {
  return { name, state };
}

const waiting = (reason: string, message = "") => ({ waiting: { reason, message } });
const RUNNING = { running: { startedAt: "2026-01-01T00:00:00Z" } };
const terminated = (exitCode: number, reason = "Completed") => ({
  terminated: { exitCode, reason, finishedAt: "2026-01-01T00:00:09Z" },
});

const PENDING = { phase: "Pending", containerStatuses: [container("main", waiting("ContainerCreating"))] };
const RUNS = { phase: "Running", containerStatuses: [container("main", RUNNING)] };
const SUCCEEDED = { phase: "Succeeded", containerStatuses: [container("main", terminated(0))] };
const FAILED = { phase: "Failed", containerStatuses: [container("main", terminated(3, "Error"))] };

async function withCluster(
  script: PodScript,
  work: (cluster: PodCluster, folder: string, run: typeof runPod) => Promise<void>,
): Promise<void> {
  await withTempDir(async (folder) => {
    await using cluster = new PodCluster(folder, script);
    await work(
      cluster,
      folder,
      (given, options) => runPod({ connection: cluster.connection, ...given }, options),
    );
  });
}

function runPod(given: JsonObject, options?: DefinitionRunOptions) {
  return runDefinition(podCreate, { spec: SPEC, waitForLogInterval: "PT0S", ...given }, options);
}

Deno.test("PodCreate creates a pod with the labels of its attempt, follows it to its end, and deletes it", async () => {
  await withCluster(
    { statuses: [PENDING, RUNS, SUCCEEDED], logs: { main: "" } },
    async (cluster, _folder, run) => {
      const { outputs, logs } = await run({ metadata: { labels: { team: 7 } } });
      assertEquals(cluster.created, [{
        apiVersion: "v1",
        kind: "Pod",
        metadata: {
          name: NAME,
          labels: {
            team: "7",
            "kestra.io/namespace": "demo",
            "kestra.io/flow-id": "h",
            "kestra.io/task-id": "t",
            "kestra.io/execution-id": "e1",
            "kestra.io/taskrun-id": "r1",
            "kestra.io/taskrun-attempt": "1",
          },
        },
        spec: { ...SPEC, initContainers: [] },
      }]);
      assertEquals(cluster.calls, [`GET ${PODS}?${SELECTOR}`, `POST ${PODS}`, `DELETE ${PODS}/${NAME}`]);
      assertEquals(outputs, { metadata: { name: NAME, uid: "u1" }, status: SUCCEEDED, vars: {} });
      assertEquals(logs, [
        `INFO Created the pod "${NAME}" in the namespace "jobs"`,
        `INFO Deleted the pod "${NAME}"`,
      ]);
    },
  );
});

Deno.test("PodCreate logs each line once, though the API counts whole seconds, and reads control lines", async () => {
  const time = "2026-01-01T00:00:01";
  const lines = [
    `${time}.000000001Z a`,
    `${time}.000000002Z b`,
    `${time}.000000002Z b`,
    `2026-01-01T00:00:02.000000000Z ::{"outputs": {"n": 1}}::`,
  ];
  const logs: Record<string, string> = { main: `${lines.slice(0, 2).join("\n")}\n` };
  const statuses = [RUNS, RUNS, SUCCEEDED];
  let readings = 0;
  const reply = (request: Request) => {
    if (request.url.includes("/log") && readings++ > 0) logs.main = `${lines.join("\n")}\n`;
    return undefined;
  };
  await withCluster({ statuses, logs, reply }, async (cluster, _folder, run) => {
    const result = await run({});
    assertEquals(result.logs.slice(1, -1), ["INFO a", "INFO b", "INFO b"]);
    assertEquals(result.outputs.vars, { n: 1 });
    assertEquals(cluster.logQueries.slice(0, 2), [
      "container=main&timestamps=true",
      "container=main&timestamps=true&sinceTime=2026-01-01T00%3A00%3A01Z",
    ]);
  });
});

/** With files the pod has a container more before, and one beside those of the task. */
const WITH_FILES: readonly JsonObject[] = [
  { phase: "Pending", initContainerStatuses: [container("init-files", waiting("PodInitializing"))] },
  { phase: "Pending", initContainerStatuses: [container("init-files", RUNNING)] },
  { phase: "Running", containerStatuses: [container("main", RUNNING), container("out-files", RUNNING)] },
  {
    phase: "Running",
    containerStatuses: [container("main", terminated(0)), container("out-files", RUNNING)],
  },
];

Deno.test("PodCreate sends input files and stores the output files that match", async () => {
  await withCluster({ statuses: WITH_FILES, logs: { main: "" } }, async (cluster, folder, run) => {
    await Deno.mkdir(`${folder}/working-dir/out`, { recursive: true });
    await Deno.writeTextFile(`${folder}/working-dir/out/r s.txt`, "result");
    await Deno.writeTextFile(`${folder}/working-dir/other.txt`, "x");
    const large = "y".repeat(100_000);
    const { outputs, files } = await run(
      { inputFiles: { "in/a.txt": "text", "b.bin": "kestra:///b" }, outputFiles: ["out/*"] },
      { files: { "kestra:///b": large } },
    );
    assertEquals(Object.keys(outputs.outputFiles as JsonObject), ["out/r s.txt"]);
    assertEquals([...files.values()], ["result"]);
    assertEquals(await Deno.readTextFile(`${folder}/working-dir/in/a.txt`), "text");
    assertEquals(await Deno.readTextFile(`${folder}/working-dir/b.bin`), large);
    for (const marker of ["ready", "ended"]) await Deno.stat(`${folder}/${marker}`);
    const commands = cluster.calls.filter((call) => call.includes("/exec?"));
    assertEquals(commands.map((call) => new URLSearchParams(call.split("?")[1]).get("container")), [
      "init-files",
      "out-files",
      "out-files",
    ]);
  });
});

Deno.test("in a flow, PodCreate has the directory of the containers as workingDir, and the files of the task", async () => {
  await withCluster({ statuses: WITH_FILES, logs: { main: "" } }, async (cluster, folder) => {
    await Deno.mkdir(`${folder}/working-dir`);
    await using app = await Harness.start();
    const { masterUrl, oauthToken, namespace } = cluster.connection;
    const { state, errors, outputs } = await runTasks(
      app,
      `- {id: file, type: io.kestra.plugin.core.storage.Write, content: stored}
- id: pod
  type: io.kestra.plugin.kubernetes.PodCreate
  connection: {masterUrl: "${masterUrl}", oauthToken: ${oauthToken}, namespace: ${namespace}}
  waitForLogInterval: PT0S
  inputFiles: {a.txt: "{{ outputs.file.uri }}"}
  outputFiles: ["*.txt"]
  spec:
    containers: [{name: main, image: debian, command: [cat, "{{ workingDir }}/a.txt", "{{ outputFiles['b.txt'] ?? 'none' }}"]}]
`,
    );
    assertEquals([state, errors], ["SUCCESS", []]);
    assertEquals(Object.keys((outputs.pod as JsonObject).outputFiles as JsonObject), ["a.txt"]);
    assertEquals(await Deno.readTextFile(`${folder}/working-dir/a.txt`), "stored");
    const [main] = (cluster.created[0]?.spec as JsonObject).containers as JsonObject[];
    assertEquals(main?.command, ["cat", "/kestra/working-dir/a.txt", "none"]);
  });
});

Deno.test("PodCreate with output files, of which there are none, gives an empty map", async () => {
  await withCluster({ statuses: WITH_FILES.slice(2), logs: { main: "" } }, async (_cluster, folder, run) => {
    await Deno.mkdir(`${folder}/working-dir`);
    assertEquals((await run({ outputFiles: ["*"] })).outputs.outputFiles, {});
  });
});

Deno.test("PodCreate adds containers for files, default settings, and texts where the API needs them", async () => {
  const mount = { name: "kestra-files", mountPath: "/kestra" };
  const spec: JsonObject = {
    containers: [
      {
        name: "main",
        image: "i",
        args: [1, true],
        env: [{ name: "A", value: 2 }, { name: "B", value: "own" }],
      },
      { name: "out-files", image: "other" },
    ],
    volumes: [{ name: "tmp" }],
  };
  const containerDefaultSpec = {
    securityContext: { runAsUser: 5 },
    volumeMounts: [{ name: "tmp", mountPath: "/tmp" }],
    env: [{ name: "B", value: "default" }, { name: "C", value: "c" }],
  };
  await withCluster({ statuses: [SUCCEEDED], logs: { main: "" } }, async (cluster, folder, run) => {
    await Deno.mkdir(`${folder}/working-dir`);
    const resources = { limits: { cpu: "300m" } };
    await run({
      spec,
      containerDefaultSpec,
      outputFiles: ["*"],
      fileSidecar: { resources, image: "alpine" },
    });
    const created = cluster.created[0]?.spec as JsonObject;
    const defaults = { securityContext: { runAsUser: 5 } };
    const tmp = { name: "tmp", mountPath: "/tmp" };
    const env = [{ name: "B", value: "default" }, { name: "C", value: "c" }];
    assertEquals(created.containers, [
      {
        ...defaults,
        name: "main",
        image: "i",
        args: ["1", "true"],
        env: [{ name: "A", value: "2" }, { name: "B", value: "own" }, { name: "C", value: "c" }],
        volumeMounts: [tmp, mount],
      },
      {
        ...defaults,
        name: "out-files",
        image: "alpine",
        command: ["sh", "-c", "while [ ! -f /kestra/ended ]; do sleep 0.5; done"],
        resources,
        env,
        volumeMounts: [tmp, mount],
      },
    ]);
    assertEquals(created.initContainers, [{
      ...defaults,
      name: "init-files",
      image: "alpine",
      command: ["sh", "-c", "mkdir -p /kestra/working-dir"],
      resources,
      env,
      volumeMounts: [tmp, mount],
    }]);
    assertEquals(created.volumes, [{ name: "tmp" }, { name: "kestra-files", emptyDir: {} }]);
  });
});

Deno.test("PodCreate continues with the pod of its attempt, and keeps a pod that is not to be deleted", async () => {
  const existing = [{ metadata: { name: "left" }, status: RUNS }];
  await withCluster(
    { statuses: [SUCCEEDED], logs: { main: "" }, existing },
    async (cluster, _folder, run) => {
      const { outputs } = await run({ delete: false });
      assertEquals(outputs.metadata, { name: "left", uid: "u1" });
      assertEquals(cluster.calls, [`GET ${PODS}?${SELECTOR}`]);
      await run({ delete: false, resume: false });
      assertEquals(cluster.calls.slice(1), [`POST ${PODS}`]);
    },
  );
});

Deno.test("a stop of PodCreate deletes the pod at once, even one that is to be kept", async () => {
  await withCluster({ statuses: [RUNS], logs: { main: "" } }, async (cluster, _folder, run) => {
    const stopping = new AbortController();
    const running = run({ delete: false }, { signal: stopping.signal });
    await cluster.whenRead;
    stopping.abort();
    await assertRejects(() => running, Error);
    assertEquals(cluster.calls.at(-1), `DELETE ${PODS}/${NAME}?gracePeriodSeconds=0`);
  });
});

Deno.test("a stop of PodCreate while the pod is created finds and deletes what was created", async () => {
  const stopping = new AbortController();
  const reply = (request: Request) => {
    if (request.method !== "POST") return undefined;
    stopping.abort();
    return undefined;
  };
  const existing = [{ metadata: { name: "late" } }];
  await withCluster({ statuses: [RUNS], reply, existing }, async (cluster, _folder, run) => {
    await assertRejects(() => run({ resume: false }, { signal: stopping.signal }), Error);
    assertEquals(cluster.calls.slice(-2), [
      `GET ${PODS}?${SELECTOR}`,
      `DELETE ${PODS}/late?gracePeriodSeconds=0`,
    ]);
  });
});

/** Properties, the pod, the error, and whether the pod is deleted. */
const ERRORS: readonly (readonly [JsonObject, PodScript, RegExp, boolean])[] = [
  [
    {},
    { statuses: [RUNS, FAILED], logs: { main: "" } },
    /^The pod "h-t-r1-1" failed: the container "main" ended with exit code 3 \(Error\)$/,
    true,
  ],
  [
    {},
    { statuses: [{ phase: "Failed", reason: "Evicted", message: "out of memory" }] },
    /^The pod "h-t-r1-1" failed: Evicted: out of memory$/,
    true,
  ],
  [
    {},
    {
      statuses: [{
        phase: "Pending",
        containerStatuses: [container("main", waiting("InvalidImageName", "bad name"))],
      }],
    },
    /failed: the container "main" cannot start: InvalidImageName: bad name$/,
    true,
  ],
  [
    { waitUntilRunning: "PT0.1S" },
    { statuses: [PENDING] },
    /^The pod "h-t-r1-1" does not run after PT0\.1S, its phase is Pending; raise waitUntilRunning$/,
    true,
  ],
  [
    { waitUntilReady: "PT0.1S" },
    { statuses: [RUNS], logs: { main: "" } },
    /is not ready after PT0\.1S, its phase is Running; raise waitUntilReady$/,
    true,
  ],
  [{ waitRunning: "PT0.1S" }, { statuses: [RUNS], logs: { main: "" } }, /has not ended after PT0\.1S/, true],
  [
    { outputFiles: ["a"] },
    {
      statuses: [{
        phase: "Running",
        containerStatuses: [container("main", terminated(1, "Error")), container("out-files", RUNNING)],
      }],
      logs: { main: "" },
    },
    /the container "main" ended with exit code 1/,
    true,
  ],
  [{ spec: { containers: [] } }, { statuses: [] }, /^Invalid spec: it needs at least one container$/, false],
  [
    { inputFiles: { "a.txt": null } },
    { statuses: [] },
    /^Invalid inputFiles: the file "a\.txt" has no content/,
    false,
  ],
  [
    {},
    {
      statuses: [],
      reply: ({ method }) =>
        method === "POST" ? refusal(422, "Pod is invalid: spec.containers[0].image") : undefined,
    },
    /^Cannot create the pod "h-t-r1-1" at "HOST": the response was 422: Pod is invalid/,
    false,
  ],
  [
    { inputFiles: { "a.txt": "a" } },
    {
      statuses: WITH_FILES,
      reply: ({ url }) => url.includes("/exec?") ? refusal(403, "pods/exec is forbidden") : undefined,
    },
    /^Cannot send the input files at "HOST": the response was 403: pods\/exec is forbidden$/,
    true,
  ],
  [
    // There is no such folder.
    { inputFiles: { "a.txt": "a" } },
    { statuses: WITH_FILES },
    /^Cannot send the input files: command terminated with non-zero exit code: exit status 2: .*No such file/s,
    true,
  ],
];

for (const [properties, script, expected, isDeleted] of ERRORS) {
  Deno.test(`PodCreate reports ${expected.source}`, async () => {
    await withCluster(script, async (cluster, _folder, run) => {
      const { message } = await assertRejects(() => run(properties), Error);
      assertMatch(message.replace(cluster.host, "HOST"), expected);
      assertEquals(cluster.calls.some((call) => call.startsWith("DELETE")), isDeleted);
    });
  });
}
