// deno-lint-ignore-file no-console -- The output of this command.
/**
 * `deno task ui:dev`: a proxy before a running server, for work on the UI. It builds after each change of the sources and
 * reloads the pages that are open. Options: `--server URL` and `--port N`.
 */
import { parseArgs } from "node:util";
import { gunzipSync } from "node:zlib";
import { ASSETS_PATH } from "../../../src/http/pipeline/mount.ts";
import { appPage } from "../../../src/ui/app_page.ts";
import { build } from "../../../src/ui/build.ts";
import { readBundle } from "../../../src/ui/bundle.ts";

const SOURCES = ["app", "tokens.css"].map((name) =>
  new URL(`../../../src/ui/${name}`, import.meta.url).pathname
);
const RELOAD_SCRIPT = `${ASSETS_PATH}/dev.js`;
const RELOAD_EVENTS = `${ASSETS_PATH}/dev`;
/** Editors write a file in several steps. */
const QUIET_MS = 100;
/** The browser's origin is the proxy, so the server would refuse what they say. */
const ORIGIN_HEADERS = ["origin", "referer", "host", "sec-fetch-site"];
const TEXT = new TextEncoder();

const { values } = parseArgs({
  args: Deno.args,
  options: {
    server: { type: "string", default: "http://127.0.0.1:8080" },
    port: { type: "string", default: "8082" },
  },
});
const pages = new Set<ReadableStreamDefaultController<Uint8Array>>();
let bundle = readBundle();

async function rebuild(): Promise<void> {
  const startedAt = performance.now();
  try {
    await build();
    bundle = readBundle();
    console.log(`Built in ${Math.round(performance.now() - startedAt)} ms`);
    for (const page of pages) page.enqueue(TEXT.encode("data: reload\n\n"));
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
  }
}

async function rebuildOnChange(): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  for await (const { kind } of Deno.watchFs(SOURCES)) {
    if (kind === "access") continue;
    clearTimeout(timer);
    timer = setTimeout(rebuild, QUIET_MS);
  }
}

async function respond(request: Request): Promise<Response> {
  const { pathname, search } = new URL(request.url);
  const own = ownResponse(pathname);
  if (own) return own;
  const headers = new Headers(request.headers);
  for (const name of ORIGIN_HEADERS) headers.delete(name);
  const { method, body } = request;
  const response = await fetch(values.server + pathname + search, {
    method,
    headers,
    body,
    redirect: "manual",
  });
  const text = response.headers.get("content-type")?.startsWith("text/html")
    ? await response.text()
    : undefined;
  if (text === undefined) return response;
  const isApp = text.includes('<div id="app">') && bundle;
  return page(isApp ? appPage(isApp.manifest) : text, response.status);
}

/** Files of the latest build, and what reloads the pages. */
function ownResponse(path: string): Response | undefined {
  if (path === RELOAD_EVENTS) return reloadEvents();
  if (path === RELOAD_SCRIPT) {
    return script(`new EventSource("${RELOAD_EVENTS}").onmessage = () => location.reload();`);
  }
  const packed = bundle?.files.get(path.slice(ASSETS_PATH.length + 1));
  if (!packed) return undefined;
  const bytes = new Uint8Array(gunzipSync(packed.gzip));
  return path.endsWith(".css")
    ? new Response(bytes, { headers: { "content-type": "text/css" } })
    : script(bytes);
}

function script(body: BodyInit): Response {
  return new Response(body, { headers: { "content-type": "text/javascript; charset=utf-8" } });
}

function reloadEvents(): Response {
  let own: ReadableStreamDefaultController<Uint8Array> | undefined;
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => void pages.add(own = controller),
    cancel: () => void (own && pages.delete(own)),
  });
  return new Response(body, { headers: { "content-type": "text/event-stream" } });
}

function page(text: string, status: number): Response {
  const reload = `<script type="module" src="${RELOAD_SCRIPT}"></script></head>`;
  const headers = { "content-type": "text/html; charset=utf-8", "cache-control": "no-store" };
  return new Response(text.replace("</head>", reload), { status, headers });
}

if (import.meta.main) {
  await rebuild();
  Deno.serve({ hostname: "127.0.0.1", port: Number(values.port) }, respond);
  await rebuildOnChange();
}
