import { assert, assertEquals, assertMatch, assertNotMatch, assertStringIncludes } from "@std/assert";
import { brotliCompressSync, gzipSync } from "node:zlib";
import type { Bundle } from "../../../../src/ui/bundle.ts";
import { Harness } from "../../../support/harness.ts";
import { json } from "../../../support/flows/request_bodies.ts";

const FLOW = `id: hello
namespace: demo
tasks:
  - id: say
    type: io.svc.plugin.core.log.Log
    message: hello
`;
const SCRIPT = "console.log(1)";
const BUNDLE: Bundle = {
  manifest: {
    script: "main-1.js",
    style: "app-1.css",
    preloads: ["chunk-1.js"],
    texts: { en: "en-1.js", de: "de-1.js", fr: "fr-1.js" },
    views: { execution_page: ["execution_page-1.js"], flow_page: ["flow_page-1.js"] },
  },
  files: new Map([["main-1.js", {
    gzip: new Uint8Array(gzipSync(SCRIPT)),
    brotli: new Uint8Array(brotliCompressSync(SCRIPT)),
  }]]),
};
const HTML = "text/html; charset=utf-8";
const UNKNOWN_ID = "A".repeat(22);

/** The paths with and without the tenant `main`. */
function inMain(...paths: readonly string[]): string[] {
  return paths.flatMap((path) => [`/ui${path}`, `/ui/main${path}`]);
}

Deno.test("GET /ui/ names the texts of the first language of the browser that the UI has", async () => {
  await using server = await Harness.start({ bundle: BUNDLE });
  const rows = [
    ["", "en"],
    ["de-CH,de;q=0.9,en;q=0.8", "de"],
    ["nl, fr-FR;q=0.8, en;q=0.5", "fr"],
    ["en-GB,de", "en"],
    ["*", "en"],
  ] as const;
  for (const [accepted, language] of rows) {
    const response = await server.request("GET", "/ui/", { headers: { "accept-language": accepted } });
    const text = await response.text();
    assertEquals(text.match(/(?:en|de|fr)-1\.js/g), [`${language}-1.js`], accepted);
    assertEquals(response.headers.get("vary"), "accept-language");
  }
});

for (const [what, bundle] of [["with a build", BUNDLE], ["without a build", undefined]] as const) {
  Deno.test(`GET /ui/… returns a page for each view and for what exists, ${what}`, async () => {
    await using server = await Harness.start({ bundle });
    const { id } = await server.run(FLOW);
    const execution = `/executions/demo/hello/${id}`;
    const flow = "/flows/edit/demo/hello";
    const paths = [
      ...inMain(
        "",
        "/executions",
        `/executions/${id}`,
        execution,
        `${execution}/logs`,
        `${execution}/outputs`,
      ),
      ...inMain("/flows", "/flows/new", flow, `${flow}/revisions`, "/namespaces/demo/files", "/settings"),
    ];
    for (const path of paths) {
      const response = await server.request("GET", path);
      assertEquals([response.status, response.headers.get("content-type")], [200, HTML], path);
      assertStringIncludes(await response.text(), bundle ? "/ui/assets/main-1.js" : "The UI was not built");
    }
  });

  Deno.test(`GET /ui/… names the scripts of an execution and a flow in their documents only, ${what}`, async () => {
    await using server = await Harness.start({ bundle });
    const { id } = await server.run(FLOW);
    const rows = [
      ["/executions", []],
      [`/executions/${id}`, []],
      [`/executions/demo/hello/${id}/logs`, ["execution_page-1.js"]],
      ["/flows/new", []],
      ["/flows/edit/demo/hello", ["flow_page-1.js"]],
    ] as const;
    for (const [path, scripts] of rows) {
      const text = await (await server.request("GET", `/ui${path}`)).text();
      assertEquals(text.match(/\w+_page-1\.js/g) ?? [], bundle ? [...scripts] : [], path);
    }
  });

  Deno.test(`GET /ui/… names the data of an execution in the documents of its page only, ${what}`, async () => {
    await using server = await Harness.start({ bundle });
    const { id } = await server.run(FLOW);
    const data =
      `<link rel="preload" as="fetch" crossorigin href="/api/v1/main/executions/${id}?maxTaskRuns=100">`;
    const rows = [
      ["/executions", []],
      [`/executions/demo/hello/${UNKNOWN_ID}`, []],
      [`/executions/demo/hello/${id}`, [data]],
      [`/main/executions/demo/hello/${id}/logs`, [data]],
      ["/flows/edit/demo/hello", []],
    ] as const;
    for (const [path, links] of rows) {
      const text = await (await server.request("GET", `/ui${path}`)).text();
      assertEquals(text.match(/<link rel="preload".*>/g) ?? [], bundle ? [...links] : [], path);
    }
  });

  Deno.test(`GET /ui/… lets browsers request the scripts of an execution's page before its data, ${what}`, async () => {
    await using server = await Harness.start({ bundle });
    const { id } = await server.run(FLOW);
    const text = await (await server.request("GET", `/ui/executions/demo/hello/${id}`)).text();
    const links = [...text.matchAll(/<link rel="(?:module)?preload".* href="([^"]+)"/g)].map(([, href]) =>
      href
    );
    const [view, shared] = ["/ui/assets/execution_page-1.js", "/ui/assets/chunk-1.js"];
    const texts = "/ui/assets/en-1.js";
    assertEquals(links, bundle ? [view, `/api/v1/main/executions/${id}?maxTaskRuns=100`, shared, texts] : []);
  });

  Deno.test(`GET /ui/… of what does not exist returns a page with 404, ${what}`, async () => {
    await using server = await Harness.start({ bundle });
    const { id } = await server.run(FLOW);
    const paths = inMain(
      "/executions/demo/hello/%3Cscript%3E",
      `/executions/demo/hello/${UNKNOWN_ID}`,
      `/executions/demo/hello/${UNKNOWN_ID}/logs`,
      `/executions/demo/other/${id}`,
      `/executions/other/hello/${id}`,
      `/executions/${UNKNOWN_ID}`,
      "/flows/edit/demo/other",
      "/flows/edit/%3Cscript%3E/hello/executions",
    );
    for (const path of paths) {
      const response = await server.request("GET", path);
      assertEquals([response.status, response.headers.get("content-type")], [404, HTML], path);
      const text = await response.text();
      assertStringIncludes(text, bundle ? "/ui/assets/main-1.js" : "Not found");
      assertNotMatch(text, /<script>/);
    }
  });
}

Deno.test("GET /ui/… is sent with a policy that allows no inline script", async () => {
  await using server = await Harness.start({ bundle: BUNDLE });
  const { id } = await server.run(FLOW);
  for (const path of ["/ui/", `/ui/executions/demo/hello/${id}`, "/ui/executions/demo/hello/none"]) {
    const response = await server.request("GET", path);
    await response.body?.cancel();
    const policy = response.headers.get("content-security-policy") ?? "";
    assertMatch(policy, /^default-src 'none'; script-src 'self'; style-src 'self'/);
    assertNotMatch(policy, /unsafe/);
    assertEquals(response.headers.get("x-content-type-options"), "nosniff");
  }
});

Deno.test("GET /ui/:tenant/… shows what the tenant has, and nothing of another one", async () => {
  await using server = await Harness.start({ bundle: BUNDLE });
  const { id } = await server.run(FLOW);
  await server.json("POST", "/api/v1/tenants", json('{"id":"blue","name":"Blue"}'));
  const statuses = async (tenant: string) => {
    const paths = ["", "/executions", "/flows/edit/demo/hello", `/executions/demo/hello/${id}`];
    const responses = paths.map((path) => server.request("GET", `/ui/${tenant}${path}`));
    return (await Promise.all(responses)).map(({ status }) => status);
  };
  assertEquals(await statuses("main"), [200, 200, 200, 200]);
  assertEquals(await statuses("blue"), [200, 200, 404, 404]);
  assertEquals(await statuses("nowhere"), [404, 404, 404, 404]);
});

Deno.test("GET /ui/:tenant of an unknown tenant shows a page to browsers, a problem to programs", async () => {
  await using server = await Harness.start({ bundle: BUNDLE });
  for (const [accept, type] of [["text/html,*/*", HTML], ["application/json", "application/json"]] as const) {
    const response = await server.request("GET", "/ui/nowhere", { headers: { accept } });
    assertEquals([response.status, response.headers.get("content-type")], [404, type]);
    assertMatch(
      await response.text(),
      type === HTML ? /There is no such page/ : /there is no tenant \\"nowhere/,
    );
  }
});

Deno.test("GET /ui/assets/:name of a build is kept by browsers, and packed for those that accept it", async () => {
  await using server = await Harness.start({ bundle: BUNDLE });
  for (const [accepted, encoding] of [["gzip, br", "br"], ["gzip", "gzip"], ["identity", null]] as const) {
    const headers = { "accept-encoding": accepted };
    const response = await server.request("GET", "/ui/assets/main-1.js", { headers });
    assertEquals(response.headers.get("content-encoding"), encoding);
    assertStringIncludes(response.headers.get("cache-control") ?? "", "immutable");
    const body = await response.arrayBuffer();
    assert(encoding !== null || new TextDecoder().decode(body) === SCRIPT);
  }
});

const ASSETS: readonly (readonly [string, string])[] = [
  ["style.css", "text/css; charset=utf-8"],
  ["icon.svg", "image/svg+xml"],
];
for (const [name, type] of ASSETS) {
  Deno.test(`GET /ui/assets/${name} is sent once for each version`, async () => {
    await using server = await Harness.start();
    const first = await server.request("GET", `/ui/assets/${name}`);
    assertEquals([first.status, first.headers.get("content-type")], [200, type]);
    const etag = first.headers.get("etag") ?? "";
    const text = await first.text();
    assertEquals(text.length > 100, true);
    for (const tag of [etag, `W/${etag}`, `"other", ${etag}`]) {
      const second = await server.request("GET", `/ui/assets/${name}`, { headers: { "if-none-match": tag } });
      assertEquals([second.status, await second.text()], [304, ""]);
    }
  });
}

for (const name of ["nothing.css", "__proto__", "..%2fassets.ts"]) {
  Deno.test(`GET /ui/assets/${name} returns 404`, async () => {
    await using server = await Harness.start();
    const response = await server.request("GET", `/ui/assets/${name}`);
    await response.body?.cancel();
    assertEquals(response.status, 404);
  });
}
