/** The types of Kubernetes against a stub with the paths and responses of its API: https://kubernetes.io/docs/reference/using-api/api-concepts/ */
import { assertEquals, assertMatch, assertRejects } from "@std/assert";
import type { JsonObject } from "../../../src/base/json.ts";
import {
  kubectlApply,
  kubectlDelete,
  kubectlGet,
  kubectlPatch,
  kubectlRestart,
} from "../../../src/integrations/kubernetes/kubectl.ts";
import type { TaskDefinition } from "../../../src/model/tasks/task_definition.ts";
import { type ApiReply, type ApiRequest, ApiStub } from "../../support/servers/api_stub.ts";
import { runDefinition } from "../../support/flows/definition_run.ts";
import { SELF_SIGNED_CERT, SELF_SIGNED_KEY } from "../../support/processes/self_signed.ts";

/** A gigabyte once the aliases are written out. */
const MANY_ALIASES = `a: &a ${"x".repeat(1_000_000)}\nb:\n${"  - *a\n".repeat(1_000)}`;

const KINDS: Readonly<Record<string, JsonObject[]>> = {
  "/api/v1": [
    { name: "pods", singularName: "pod", kind: "Pod", namespaced: true, shortNames: ["po"] },
    { name: "pods/log", singularName: "", kind: "Pod", namespaced: true },
    { name: "namespaces", singularName: "namespace", kind: "Namespace", namespaced: false },
    { name: "configmaps", singularName: "configmap", kind: "ConfigMap", namespaced: true },
  ],
  "/apis/apps/v1": [
    {
      name: "deployments",
      singularName: "deployment",
      kind: "Deployment",
      namespaced: true,
      shortNames: ["deploy"],
    },
  ],
  "/apis/example.com/v2": [{ name: "toys", singularName: "toy", kind: "Toy", namespaced: true }],
};

/** Checks the token of each request. */
function cluster(reply: (request: ApiRequest) => ApiReply): ApiStub {
  return new ApiStub((request) => {
    if (request.headers.authorization !== "Bearer t") return status(401, "Unauthorized");
    const resources = KINDS[request.path];
    return resources ? { kind: "APIResourceList", resources } : reply(request) ?? status(404, "not found");
  });
}

function status(code: number, message: string): Response {
  return Response.json({ kind: "Status", status: "Failure", message, code }, { status: code });
}

function connection({ url }: ApiStub, further: JsonObject = {}): JsonObject {
  return { namespace: "shop", connection: { masterUrl: `${url}/`, oauthToken: "t", ...further } };
}

function callsOf(stub: ApiStub): string[] {
  return stub.requests.filter(({ path }) => !KINDS[path]).map(({ method, path, query }) => {
    const text = new URLSearchParams(query).toString();
    return `${method} ${path}${text && `?${text}`}`;
  });
}

function pod(name: string, further: JsonObject = {}): JsonObject {
  return { metadata: { name, uid: name, managedFields: [1] }, status: { phase: "Running" }, ...further };
}

const ITEMS = [pod("a"), pod("b"), pod("c")];

/** Two pages. */
function listed({ path, query }: ApiRequest): ApiReply {
  if (path === "/api/v1/namespaces/shop/pods/a") return pod("a");
  if (path !== "/api/v1/namespaces/shop/pods") return undefined;
  return query.continue === "n"
    ? { items: ITEMS.slice(2), metadata: {} }
    : { items: ITEMS.slice(0, 2), metadata: { continue: "n" } };
}

const METADATA = ["a", "b", "c"].map((name) => ({ name, uid: name }));
const STATUS = { status: { phase: "Running" } };

/** `fetchType` and the outputs. */
const FETCHES: readonly (readonly [string, JsonObject])[] = [
  ["NONE", {}],
  ["FETCH", { metadataItems: METADATA, statusItems: [STATUS, STATUS, STATUS], size: 3 }],
  ["FETCH_ONE", { metadataItem: { name: "a", uid: "a" }, statusItem: STATUS, size: 1 }],
];

Deno.test("Get reads all pages of a kind, as outputs or as a file", async () => {
  await using stub = cluster(listed);
  for (const [fetchType, outputs] of FETCHES) {
    const run = await runDefinition(kubectlGet, { ...connection(stub), resourceType: "po", fetchType });
    assertEquals(run.outputs, outputs);
  }
  const stored = await runDefinition(kubectlGet, {
    ...connection(stub),
    resourceType: "Pod",
    fetchType: "STORE",
  });
  assertEquals([stored.outputs.size, stored.files.get(String(stored.outputs.uri))?.split("\n").length], [
    3,
    4,
  ]);
});

Deno.test("Get by name warns of what is missing", async () => {
  await using stub = cluster(listed);
  const given = { ...connection(stub), resourceType: "pods", resourcesNames: ["a", "x"], fetchType: "FETCH" };
  const { outputs, logs } = await runDefinition(kubectlGet, given);
  assertEquals([outputs.metadataItems, logs], [[{ name: "a", uid: "a" }], [
    'WARN There is no pods "x" in the namespace "shop"',
  ]]);
});

/** Type, properties, the calls with their bodies. */
const CHANGES: readonly (readonly [TaskDefinition, JsonObject, readonly (readonly [string, unknown?])[]])[] =
  [
    [
      kubectlApply,
      {
        spec:
          "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n---\n\n---\n{apiVersion: apps/v1, kind: Deployment, metadata: {name: b, namespace: other}}\n",
      },
      [
        ["PATCH /api/v1/namespaces/shop/configmaps/a?fieldManager=sluice&force=true", {
          ...{ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" } },
        }],
        ["PATCH /apis/apps/v1/namespaces/other/deployments/b?fieldManager=sluice&force=true", {
          ...{ apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "b", namespace: "other" } },
        }],
      ],
    ],
    [kubectlApply, { spec: { apiVersion: "v1", kind: "Namespace", metadata: { name: "n" } } }, [
      ["PATCH /api/v1/namespaces/n?fieldManager=sluice&force=true", {
        ...{ apiVersion: "v1", kind: "Namespace", metadata: { name: "n" } },
      }],
    ]],
    [kubectlPatch, { resourceType: "deploy", resourceName: "a", patch: "spec: {replicas: 3}" }, [
      ["PATCH /apis/apps/v1/namespaces/shop/deployments/a", { spec: { replicas: 3 } }],
    ]],
    [
      kubectlPatch,
      {
        resourceType: "Toy",
        apiGroup: "example.com",
        apiVersion: "v2",
        resourceName: "a/b",
        patch: "[{op: test}]",
        patchStrategy: "JSON_PATCH",
      },
      [["PATCH /apis/example.com/v2/namespaces/shop/toys/a%2Fb", [{ op: "test" }]]],
    ],
    [kubectlDelete, { resourceType: "pod", resourcesNames: ["a", "b"] }, [
      ["DELETE /api/v1/namespaces/shop/pods/a?propagationPolicy=Background"],
      ["DELETE /api/v1/namespaces/shop/pods/b?propagationPolicy=Background"],
    ]],
  ];

for (const [definition, properties, calls] of CHANGES) {
  Deno.test(`${definition.type} sends ${calls.map(([call]) => call).join(", ")}`, async () => {
    await using stub = cluster(({ path }) => path.endsWith("/pods/b") ? undefined : pod("a"));
    await runDefinition(definition, { ...connection(stub), ...properties });
    const requests = stub.requests.filter(({ path }) => !KINDS[path]);
    assertEquals(callsOf(stub), calls.map(([call]) => call));
    assertEquals(
      requests.map(({ text }) => text === "" ? undefined : JSON.parse(text)),
      calls.map(([, body]) => body),
    );
  });
}

/** Strategies and the content types of their requests. */
const STRATEGIES = [
  ["STRATEGIC_MERGE", "application/strategic-merge-patch+json"],
  ["JSON_MERGE", "application/merge-patch+json"],
  ["JSON_PATCH", "application/json-patch+json"],
] as const;

Deno.test("Patch sends the form that its strategy says, and gives the resource", async () => {
  await using stub = cluster(() => pod("a"));
  for (const [patchStrategy, type] of STRATEGIES) {
    const given = { resourceType: "pod", resourceName: "a", patch: "{}", patchStrategy };
    const { outputs } = await runDefinition(kubectlPatch, { ...connection(stub), ...given });
    assertEquals(outputs, { metadata: { name: "a", uid: "a" }, status: STATUS });
    assertEquals(stub.requests.at(-1)?.headers["content-type"], type);
  }
});

Deno.test("Restart sets the annotation of kubectl", async () => {
  await using stub = cluster(() => pod("a"));
  await runDefinition(kubectlRestart, {
    ...connection(stub),
    resourceType: "Deployment",
    resourcesNames: ["a"],
  });
  assertMatch(
    stub.requests.at(-1)?.text ?? "",
    /^\{"spec":\{"template":\{"metadata":\{"annotations":\{"kubectl\.kubernetes\.io\/restartedAt":"\d{4}-[\d-]+T[\d:.]+Z"\}\}\}\}\}$/,
  );
});

Deno.test("Apply waits until the resource is ready as its controller has seen it", async () => {
  const condition = (value: string) => ({ conditions: [{ type: "Available", status: value }] });
  const states = [
    { metadata: { name: "a", generation: 2 }, status: { observedGeneration: 1, ...condition("True") } },
    { metadata: { name: "a", generation: 2 }, status: { observedGeneration: 2, ...condition("False") } },
    { metadata: { name: "a", generation: 2 }, status: { observedGeneration: 2, ...condition("True") } },
  ];
  await using stub = cluster(() => states.length > 1 ? states.shift() : states[0]);
  const spec = "{apiVersion: apps/v1, kind: Deployment, metadata: {name: a}}";
  await runDefinition(kubectlApply, { ...connection(stub), spec, waitUntilReady: "PT10S" });
  assertEquals(callsOf(stub).slice(1), Array(2).fill("GET /apis/apps/v1/namespaces/shop/deployments/a"));
});

/** Type, properties, and the error. */
const ERRORS: readonly (readonly [TaskDefinition, JsonObject, RegExp])[] = [
  [
    kubectlDelete,
    { resourceType: "Nothing", resourcesNames: ["a"] },
    /^Cannot find the kind "Nothing" in v1, apps\/v1, .*: give its `apiGroup`/,
  ],
  [
    kubectlPatch,
    { resourceType: "pod", resourceName: "x", patch: "{}" },
    /^Cannot patch pod "x" at "HOST": the response was 404: not found$/,
  ],
  [
    kubectlPatch,
    { resourceType: "pod", resourceName: "bad", patch: "{}" },
    /the response was 422: spec is immutable$/,
  ],
  [kubectlApply, { spec: "kind: Pod" }, /^Invalid spec: a resource needs/],
  [kubectlApply, { spec: MANY_ALIASES }, /expand to more than 16777216 characters/],
  [
    kubectlPatch,
    { resourceType: "deploy", resourceName: "a", patch: MANY_ALIASES },
    /expand to more than 16777216 characters/,
  ],
  [kubectlApply, { spec: "- a" }, /^Invalid spec: each document must be a map/],
  [
    kubectlGet,
    { resourceType: "pod", connection: { masterUrl: "URL", oauthToken: "wrong" } },
    /the response was 401: Unauthorized$/,
  ],
  [
    kubectlGet,
    { resourceType: "pod", connection: { masterUrl: "URL", caCertData: "*" } },
    /^Invalid caCertData: it must be PEM/,
  ],
  [
    kubectlGet,
    { resourceType: "pod", resourcesNames: ["slow"], waitUntilReady: "PT0.1S" },
    /^The resource "slow" is not ready after PT0.1S; raise/,
  ],
];

for (const [definition, properties, expected] of ERRORS) {
  Deno.test(`${definition.type} reports ${expected.source}`, async () => {
    await using stub = cluster(({ path }) =>
      path.endsWith("/bad")
        ? status(422, "spec is immutable")
        : path.endsWith("/slow")
        ? pod("slow")
        : undefined
    );
    const given = { ...connection(stub), ...properties };
    const text = JSON.stringify(given).replaceAll('"URL"', `"${stub.url}"`);
    const run = () => runDefinition(definition, JSON.parse(text));
    assertMatch((await assertRejects(run, Error)).message.replace(stub.host, "HOST"), expected);
  });
}

Deno.test("the connection trusts the given authority only, or any with trustCerts", async () => {
  const tls = { cert: SELF_SIGNED_CERT, key: SELF_SIGNED_KEY, hostname: "127.0.0.1", port: 0, onListen() {} };
  await using server = Deno.serve(
    tls,
    (request) => Response.json({ resources: KINDS[new URL(request.url).pathname], items: [] }),
  );
  const masterUrl = `https://localhost:${server.addr.port}`;
  const run = (connection: JsonObject) =>
    runDefinition(kubectlGet, {
      connection: { masterUrl, ...connection },
      resourceType: "pod",
      fetchType: "FETCH",
    });
  const trusted: readonly JsonObject[] = [
    { caCertData: SELF_SIGNED_CERT },
    { caCertData: btoa(SELF_SIGNED_CERT) },
    { trustCerts: true },
  ];
  for (const trust of trusted) assertEquals((await run(trust)).outputs.size, 0);
  assertMatch(
    (await assertRejects(() => run({}), Error)).message,
    /^Cannot GET to "localhost:\d+": .*certificate/,
  );
});
