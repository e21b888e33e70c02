/** Files of namespaces. Content is streamed in both directions; downloads are always attachments. */
import { type Context, Hono } from "hono";
import { fileNameOf } from "../../../model/namespaces/file_path.ts";
import type { FileTransfer } from "../../../services/files/file_transfer.ts";
import type { FileRecord, Files } from "../../../services/files/files.ts";
import { attachmentHeaders, streamResponse } from "../../responses/attachment.ts";
import type { AppEnv } from "../../env.ts";
import { type Part, readMultipart } from "../../bodies/multipart.ts";
import { readIfMatch } from "../../forms/if_match.ts";
import { queryOf, readRequired } from "../../forms/params.ts";
import { readRevision } from "../../forms/start_query.ts";
import { badRequest } from "../../refusals.ts";

interface FileRoutesDeps {
  readonly files: Files;
  readonly transfer: FileTransfer;
  /** Largest upload. */
  readonly maxUploadBytes: number;
}

/** Form part with the uploaded file. */
const CONTENT_PART = "fileContent";
/** Allowance for boundaries, headers and other parts of the form. */
const FORM_OVERHEAD_BYTES = 64 * 1024;
const BASE = "/namespaces/:namespace/files";

/**
 * Below `/namespaces/:namespace/files`: `GET`, `POST`, `PUT`, `DELETE`, and `directory`, `search`, `stats`, `revisions`,
 * `revisions/restore`, `export`.
 */
export function fileRoutes(deps: FileRoutesDeps): Hono<AppEnv> {
  const routes = new Hono<AppEnv>();
  addReadRoutes(routes, deps);
  addListRoutes(routes, deps);
  addWriteRoutes(routes, deps);
  return routes;
}

function addReadRoutes(routes: Hono<AppEnv>, { files, transfer }: FileRoutesDeps): void {
  routes.get(BASE, async (c) => {
    const query = queryOf(c);
    const path = readRequired(query, "path");
    const opened = await files.open(c.get("actor"), namespaceOf(c), path, readRevision(query));
    const { record, revision, content } = opened;
    const headers = attachmentHeaders(fileNameOf(record.path));
    headers.set("content-length", String(revision.content.size));
    headers.set("etag", `"${revision.revision}"`);
    return await streamResponse(c, content, headers);
  });
  routes.get(`${BASE}/export`, async (c) => {
    const zip = await transfer.export(c.get("actor"), namespaceOf(c));
    return await streamResponse(c, zip, attachmentHeaders(`${namespaceOf(c)}_files.zip`));
  });
}

function addListRoutes(routes: Hono<AppEnv>, { files }: FileRoutesDeps): void {
  routes.get(`${BASE}/directory`, async (c) => {
    const found = await files.list(c.get("actor"), namespaceOf(c), queryOf(c).get("path") ?? "");
    return c.json(found.map(attributesOf));
  });
  routes.get(`${BASE}/search`, async (c) => {
    return c.json(await files.search(c.get("actor"), namespaceOf(c), queryOf(c).get("q") ?? ""));
  });
  routes.get(`${BASE}/stats`, async (c) => {
    const path = queryOf(c).get("path") ?? "";
    return c.json(attributesOf(await files.stat(c.get("actor"), namespaceOf(c), path)));
  });
  routes.get(`${BASE}/revisions`, async (c) => {
    const path = readRequired(queryOf(c), "path");
    const revisions = await files.revisions(c.get("actor"), { namespace: namespaceOf(c), path });
    return c.json(revisions.map(({ revision, modifiedAt, content: { size }, author }) => (
      { revision, size, lastModifiedTime: modifiedAt, author }
    )));
  });
}

function addWriteRoutes(routes: Hono<AppEnv>, deps: FileRoutesDeps): void {
  const { files } = deps;
  routes.post(BASE, async (c) => {
    await readUpload(c, deps);
    return c.body(null, 200);
  });
  routes.post(`${BASE}/revisions/restore`, async (c) => {
    const query = queryOf(c);
    const place = { namespace: namespaceOf(c), path: readRequired(query, "path") };
    const revision = readRevision(query);
    if (revision === undefined) throw badRequest('query parameter "revision" is missing');
    await files.restore(c.get("actor"), place, revision);
    return c.body(null, 200);
  });
  routes.post(`${BASE}/directory`, async (c) => {
    await files.createDirectory(c.get("actor"), namespaceOf(c), readRequired(queryOf(c), "path"));
    return c.body(null, 200);
  });
  routes.put(BASE, async (c) => {
    const query = queryOf(c);
    const [from, to] = [readRequired(query, "from"), readRequired(query, "to")];
    await files.move(c.get("actor"), namespaceOf(c), from, to);
    return c.body(null, 200);
  });
  routes.delete(BASE, async (c) => {
    await files.delete(c.get("actor"), namespaceOf(c), readRequired(queryOf(c), "path"));
    return c.body(null, 200);
  });
}

/** Stores the part with the content; other parts are skipped. @throws DomainError bad_request: no such part, or two */
async function readUpload(c: Context<AppEnv>, deps: FileRoutesDeps): Promise<void> {
  let isFound = false;
  const limits = { maxBytes: deps.maxUploadBytes + FORM_OVERHEAD_BYTES };
  for await (const part of readMultipart(c.req.raw, limits)) {
    if (part.name !== CONTENT_PART) continue;
    if (isFound) {
      throw badRequest(`there are two parts named "${CONTENT_PART}"`);
    }
    isFound = true;
    await storePart(c, deps, part);
  }
  if (!isFound) {
    throw badRequest(`a part named "${CONTENT_PART}" is missing`);
  }
}

async function storePart(c: Context<AppEnv>, { files, transfer }: FileRoutesDeps, part: Part): Promise<void> {
  const actor = c.get("actor");
  if (part.fileName?.toLowerCase().endsWith(".zip")) {
    return await transfer.import(actor, namespaceOf(c), part.stream());
  }
  const place = { namespace: namespaceOf(c), path: readRequired(queryOf(c), "path") };
  await files.write(actor, place, part.stream(), { expected: readExpected(c) });
}

/** The expected latest revision; 0 where `If-None-Match: *` expects no file. */
function readExpected(c: Context<AppEnv>): number | undefined {
  if (c.req.header("if-none-match")?.trim() === "*") return 0;
  return readIfMatch(c.req.header("if-match"), "file");
}

function attributesOf(record: FileRecord): object {
  return {
    type: record.revision === 0 ? "Directory" : "File",
    size: record.content?.size ?? 0,
    ...(record.revision > 0 && { revision: record.revision }),
    fileName: record.path === "" ? "_files" : fileNameOf(record.path),
    lastModifiedTime: record.modifiedAt,
    creationTime: record.createdAt,
  };
}

function namespaceOf(c: Context<AppEnv>): string {
  return c.req.param("namespace") ?? "";
}
