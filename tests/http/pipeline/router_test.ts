import { assertEquals, assertThrows } from "@std/assert";
import { canonicalPath, rawPath } from "../../../src/http/pipeline/canonical_path.ts";
import { SegmentRouter } from "../../../src/http/pipeline/router.ts";

const ROUTES = [
  "GET /",
  "GET /flows/:namespace/:id",
  "GET /flows/search",
  "GET /flows/:id",
  "DELETE /flows/:id",
  "POST /executions/:namespace/:flowId",
  "POST /executions/:id{[A-Z][0-9A-Za-z]*}/restart",
  "POST /executions/:namespace/fixed",
  "GET /files/:namespace/*",
  "GET /raw/:path{.+}",
  "ALL /any/:x",
  "GET /tabs/:id/:tab?",
  "GET /ui/*",
];

function createRouter(): SegmentRouter<string> {
  const router = new SegmentRouter<string>();
  for (const route of ROUTES) {
    const [method = "", path = ""] = route.split(" ");
    router.add(method, path, route);
  }
  return router;
}

/** The route that was found and its parameters. */
function lookUp(router: SegmentRouter<string>, method: string, path: string): unknown[] {
  const [matches, stash] = router.match(method, path) as [[string, Record<string, number>][], string[]];
  const [route, indexes] = matches[0] ?? [];
  const params = Object.entries(indexes ?? {}).map(([name, index]) => [name, stash[index]]);
  return [route, Object.fromEntries(params)];
}

Deno.test("SegmentRouter.match() prefers literals, then patterns, then parameters, whatever came first", () => {
  const router = createRouter();
  const cases: [string, string, unknown[]][] = [
    ["GET", "/", ["GET /", {}]],
    ["GET", "/flows/search", ["GET /flows/search", {}]],
    ["GET", "/flows/x", ["GET /flows/:id", { id: "x" }]],
    ["DELETE", "/flows/search", ["DELETE /flows/:id", { id: "search" }]],
    ["GET", "/flows/search/y", ["GET /flows/:namespace/:id", { namespace: "search", id: "y" }]],
    ["POST", "/executions/Abc/restart", ["POST /executions/:id{[A-Z][0-9A-Za-z]*}/restart", { id: "Abc" }]],
    ["POST", "/executions/abc/restart", ["POST /executions/:namespace/:flowId", {
      namespace: "abc",
      flowId: "restart",
    }]],
    ["POST", "/executions/Abc/other", ["POST /executions/:namespace/:flowId", {
      namespace: "Abc",
      flowId: "other",
    }]],
    ["POST", "/executions/a/fixed", ["POST /executions/:namespace/fixed", { namespace: "a" }]],
    ["GET", "/files/a/b/c", ["GET /files/:namespace/*", { namespace: "a" }]],
    ["GET", "/raw/b/c", ["GET /raw/:path{.+}", { path: "b/c" }]],
    ["PATCH", "/any/1", ["ALL /any/:x", { x: "1" }]],
    ["GET", "/tabs/1", ["GET /tabs/:id/:tab?", { id: "1" }]],
    ["GET", "/tabs/1/logs", ["GET /tabs/:id/:tab?", { id: "1", tab: "logs" }]],
    ["GET", "/ui", ["GET /ui/*", {}]],
    ["GET", "/ui/", ["GET /ui/*", {}]],
    ["GET", "/ui/a/b", ["GET /ui/*", {}]],
  ];
  for (const [method, path, expected] of cases) assertEquals(lookUp(router, method, path), expected, path);
});

Deno.test("SegmentRouter.match() compares the path as sent", () => {
  const router = createRouter();
  for (
    const path of [
      "/Flows/x",
      "/flows/",
      "//flows/x",
      "/flows//x",
      "/flows/x/",
      "/%66lows/x",
      "/flows;a/x",
      "",
    ]
  ) {
    assertEquals(lookUp(router, "GET", path), [undefined, {}], path);
  }
  assertEquals(lookUp(router, "GET", "/flows/a%2Fb"), ["GET /flows/:id", { id: "a%2Fb" }]);
  assertEquals(lookUp(router, "GET", "/flows/.."), ["GET /flows/:id", { id: ".." }]);
  for (const name of ["__proto__", "constructor", "toString"]) {
    assertEquals(lookUp(router, "GET", `/${name}`), [undefined, {}]);
    assertEquals(lookUp(router, name, "/flows/x"), [undefined, {}]);
  }
});

Deno.test("SegmentRouter.match() returns the same for a path at each call, however many paths came between", () => {
  const router = createRouter();
  const paths = Array.from({ length: 200 }, (_, n) => `/executions/demo/flow-${n}`);
  for (const _round of [1, 2]) {
    for (const [n, path] of paths.entries()) {
      const [[found], values] = router.match("POST", path);
      assertEquals(found?.[0], "POST /executions/:namespace/:flowId");
      assertEquals(values, ["demo", `flow-${n}`]);
      assertEquals(router.match("GET", path), [[], []]);
      assertEquals(router.match("POST", path), [[found], values]);
    }
  }
});

Deno.test("SegmentRouter.methodsOf() lists the methods of every route of a path", () => {
  const router = createRouter();
  assertEquals(router.methodsOf("/flows/search"), ["GET", "DELETE"]);
  assertEquals(router.methodsOf("/executions/a/fixed"), ["POST"]);
  assertEquals(router.methodsOf("/nothing"), []);
});

Deno.test("SegmentRouter.add() refuses a second route of the same shape", () => {
  const router = createRouter();
  assertThrows(() => router.add("GET", "/flows/:other", ""), Error, "there is one of that shape");
  assertThrows(() => router.add("GET", "/ui/*", ""), Error, "there is one of that shape");
});

Deno.test("canonicalPath() adds the tenant to paths of its resources alone, and decodes nothing", () => {
  const resources = new Set(["flows", "executions"]);
  const cases = [
    ["http://h/api/v1/flows", "/api/v1/main/flows"],
    ["http://h:1/api/v1/flows/a/b?x=/y#z", "/api/v1/main/flows/a/b"],
    ["http://h/api/v1/flows/flows/flows", "/api/v1/main/flows/flows/flows"],
    ["http://h/api/v1/main/flows", "/api/v1/main/flows"],
    ["http://h/api/v1/acme/flows?q", "/api/v1/acme/flows"],
    ["http://h/api/v1/tenants/flows", "/api/v1/tenants/flows"],
    ["http://h/api/v1/%66lows/a", "/api/v1/%66lows/a"],
    ["http://h/api/v1/FLOWS/a", "/api/v1/FLOWS/a"],
    ["http://h/API/v1/flows", "/API/v1/flows"],
    ["http://h/api/v1", "/api/v1"],
    ["http://h/", "/"],
    ["http://h", "/"],
  ];
  for (const [url = "", expected = ""] of cases) assertEquals(canonicalPath(url, resources), expected, url);
  assertEquals(rawPath("http://h/a%20b?c"), "/a%20b");
});
