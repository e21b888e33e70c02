/** Files of executions: downloads, sizes, previews. Redirects to the execution that owns the file. */
import { type Context, Hono } from "hono";
import type { ExecutionFileViews, NamedFile } from "../../../services/executions/execution_file_views.ts";
import { DEFAULT_PREVIEW_ROWS, MAX_PREVIEW_ROWS } from "../../../services/files/file_preview.ts";
import { attachmentHeaders, streamResponse } from "../../responses/attachment.ts";
import type { AppEnv } from "../../env.ts";
import { executionIdOf } from "../../forms/execution_request.ts";
import { valueResponse } from "../../responses/json_response.ts";
import { textResponse } from "../../responses/text_stream.ts";
import { rawPath } from "../../pipeline/canonical_path.ts";
import { queryOf, rawQuery, readPositive, readRequired } from "../../forms/params.ts";

/** Routes under `/executions/:id/file`, relative to the tenant. */
export function executionFileRoutes(files: ExecutionFileViews): Hono<AppEnv> {
  const routes = new Hono<AppEnv>();
  const route = (
    path: string,
    response: (c: Context<AppEnv>, file: NamedFile) => Response | Promise<Response>,
  ) =>
    routes.get(path, async (c) => {
      const found = await files.find(c.get("actor"), executionIdOf(c), readRequired(queryOf(c), "path"));
      return "executionId" in found ? redirect(c, found.executionId) : await response(c, found);
    });

  route("/executions/:id/file", async (c, file) => {
    const headers = attachmentHeaders(file.name);
    headers.set("content-length", String(file.size));
    return await streamResponse(c, file.open(), headers);
  });

  route("/executions/:id/file/metas", (_c, { size }) => valueResponse({ size }));

  route("/executions/:id/file/preview", async (c, file) => {
    const query = queryOf(c);
    const maxRows = readPositive(query, "maxRows", DEFAULT_PREVIEW_ROWS, MAX_PREVIEW_ROWS);
    const encoding = query.get("encoding") || "UTF-8";
    return await textResponse(c, await files.preview(file, { maxRows, encoding }));
  });

  return routes;
}

/** Redirects to the same path of the owning execution, with the query unchanged. */
function redirect(c: Context<AppEnv>, executionId: string): Response {
  const { url } = c.req.raw;
  const location = rawPath(url).replace(/(\/executions\/)[^/]+(?=\/file)/, `$1${executionId}`) +
    rawQuery(url);
  return new Response(null, { status: 301, headers: { location } });
}
