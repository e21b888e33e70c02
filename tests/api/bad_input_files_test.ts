/** Bad input for namespace files: paths, forms and zips. */
import { assertEquals } from "@std/assert";
import { Harness } from "../support/harness.ts";
import { fileForm, json, multipart } from "../support/flows/request_bodies.ts";
import { buildZip, type ZipSpec } from "../support/zip_builder.ts";
import { assertRefused, type Refusal, testRefusals } from "./refusals.ts";

const BASE = "/namespaces/demo/files";

/** Paths that name nothing below the root, or try to; as the server sees them when the query is decoded once. */
const PATHS: readonly (readonly [path: string, says: string])[] = [
  ["..", 'contains ".."'],
  ["/../x", 'contains ".."'],
  ["a/../b", 'contains ".."'],
  ["a/..", 'contains ".."'],
  [" .. /x", 'contains ".."'],
  ["...", 'contains ".."'],
  ["‥/x", 'contains ".."'],
  ["．．/x", 'contains ".."'],
  ["a\\b", "contains a backslash"],
  ["..\\..\\x", "contains a backslash"],
  ["%2e%2e/x", "is encoded twice"],
  ["%2E%2E%2Fx", "is encoded twice"],
  ["%252e%252e/x", "is encoded twice"],
  ["%5cx", "is encoded twice"],
  ["a%00.txt", "is encoded twice"],
  ["a\0.txt", "contains a control character"],
  ["a\nb", "contains a control character"],
  ["C:/x", "must be relative to the namespace"],
  ["c:x", "must be relative to the namespace"],
  ["/C:/x", "must be relative to the namespace"],
  ["file:///etc/passwd", "must be relative to the namespace"],
  ["a\u202eb", "contains a character that is not allowed"],
  ["a／b", "contains a character that is not allowed"],
  ["\ud800", "contains a character that is not allowed"],
  ["n".repeat(256), "has a name longer than 255 characters"],
  ["long/".repeat(201), "is longer than 1000 characters"],
  ["d/".repeat(32) + "f", "is nested deeper than 32 directories"],
];

/** Every route that takes a path, with `?` in its place. */
const PATH_ROUTES = [
  `GET ${BASE}?path=?`,
  `GET ${BASE}/stats?path=?`,
  `GET ${BASE}/directory?path=?`,
  `GET ${BASE}/revisions?path=?`,
  `POST ${BASE}?path=?`,
  `POST ${BASE}/directory?path=?`,
  `PUT ${BASE}?from=?&to=b`,
  `PUT ${BASE}?from=a.txt&to=?`,
  `DELETE ${BASE}?path=?`,
];

for (const route of PATH_ROUTES) {
  Deno.test(`${route} refuses every path that leaves the namespace`, async () => {
    await using server = await Harness.start();
    await server.json("POST", `${BASE}?path=a.txt`, fileForm("a"));
    for (const [path, says] of PATHS) {
      const request = route.replace(/=\?/, `=${encodePath(path)}`);
      const init = route === `POST ${BASE}?path=?` ? fileForm("x") : {};
      const expected = ["Illegal argument: path ", says];
      await assertRefused(server, { what: path, request, init, status: 422, says: expected });
    }
    assertEquals(await server.json("GET", `${BASE}/search`), ["/a.txt"]);
  });
}

/** Percent-encoded once; half a surrogate as the bytes that a careless client makes of it. */
function encodePath(path: string): string {
  return path === "\ud800" ? "%ED%A0%80" : encodeURIComponent(path);
}

type Row = readonly [what: string, request: string, init: RequestInit, status: number, ...says: string[]];

const ROWS: readonly Row[] = [
  ["an upload without path", `POST ${BASE}`, fileForm("x"), 400, '"path" is missing'],
  ["an upload to the root", `POST ${BASE}?path=/`, fileForm("x"), 422, 'path "/" names no file'],
  [
    "a part of another name",
    `POST ${BASE}?path=a`,
    fileForm("x", "x", "other"),
    400,
    '"fileContent" is missing',
  ],
  ["a JSON body", `POST ${BASE}?path=a`, json({}), 415, '"application/json"', "multipart/form-data"],
  ["no body", `POST ${BASE}?path=a`, { headers: multipart().headers }, 400, '"fileContent" is missing'],
  [
    "a form that breaks off",
    `POST ${BASE}?path=a`,
    {
      ...multipart(),
      body: '--b\r\nContent-Disposition: form-data; name="fileContent"; filename="a"\r\n\r\nabc',
    },
    422,
    "the multipart body is malformed",
  ],
  ["an upload over the cap", `POST ${BASE}?path=a`, fileForm("x".repeat(200_000)), 413, "larger than"],
  [
    "a file that stands for a flow",
    `POST ${BASE}?path=_flows/a.txt`,
    fileForm("x"),
    422,
    'Forbidden path: "_flows',
  ],
  [
    "a flow that is none",
    `POST ${BASE}?path=_flows/a.yml`,
    fileForm("id: a\n", "a.yml"),
    422,
    "tasks: must not be",
  ],
  [
    "a bad namespace",
    "POST /namespaces/Demo/files?path=a",
    fileForm("x"),
    422,
    'namespace "Demo" must match',
  ],
  ["a reading without path", `GET ${BASE}`, {}, 400, '"path" is missing'],
  ["an unknown file", `GET ${BASE}?path=none.txt`, {}, 404, 'No file "/none.txt" in namespace "demo"'],
  ["an unknown directory", `GET ${BASE}/directory?path=none`, {}, 404, '"/none" in namespace "demo"'],
  ["a move of an unknown file", `PUT ${BASE}?from=none&to=b`, {}, 404, 'No file "/none" in namespace "demo"'],
  ["a move without target", `PUT ${BASE}?from=none`, {}, 400, '"to" is missing'],
];

testRefusals(ROWS.map(([what, request, init, status, ...says]): Refusal => ({
  what,
  request,
  init,
  status,
  says,
  options: { maxUploadBytes: 100_000 },
})));

const zeros = new Uint8Array(3_000_000);
const ZIPS: readonly (readonly [what: string, specs: readonly ZipSpec[], says: string])[] = [
  ["that slips out", [{ name: "a.txt", data: "a" }, { name: "../b.txt", data: "b" }], 'contains ".."'],
  ["that slips out by backslashes", [{ name: "..\\b.txt", data: "b" }], "contains a backslash"],
  ["with an absolute path", [{ name: "/etc/passwd", data: "b" }], "has an absolute path"],
  ["with a link", [{ name: "link", data: "/etc/passwd", mode: 0o120777 }], "is a link or device"],
  [
    "with a name in two spellings",
    [{ name: "a", data: "a" }, { name: "./a", data: "b" }],
    "two entries named",
  ],
  ["that is a bomb", [{ name: "zeros", data: zeros }], "unpacks to more than 200 times its size"],
  [
    "that understates its size",
    [{ name: "zeros", data: zeros, declaredSize: 10 }],
    "Illegal argument: the zip",
  ],
  [
    "whose entries overlap",
    [{ name: "a", data: "a" }, { name: "b", data: "a", sharesHeaderOf: 0 }],
    "overlaps",
  ],
];
for (const [what, specs, says] of ZIPS) {
  Deno.test(`POST ${BASE} refuses a zip ${what}, and keeps nothing of it`, async () => {
    await using server = await Harness.start();
    const row = { what, request: `POST ${BASE}?path=/`, status: 422, says: [says] };
    await assertRefused(server, { ...row, init: fileForm(buildZip(specs), "all.zip") });
    assertEquals(await server.json("GET", `${BASE}/directory`), []);
  });
}

Deno.test(`POST ${BASE} refuses a zip that is none`, async () => {
  await using server = await Harness.start();
  const row = {
    what: "",
    request: `POST ${BASE}?path=/`,
    status: 422,
    says: ["it is no zip, or incomplete"],
  };
  await assertRefused(server, { ...row, init: fileForm("PK nothing", "all.zip") });
});
