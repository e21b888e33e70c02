/** Backups of the server, for callers that are not limited to tenants: they hold the data of all tenants, and the key of secrets. */
import { Hono } from "hono";
import { toIso } from "../../../base/time/clock.ts";
import type { Backup } from "../../../model/backup.ts";
import type { Backups } from "../../../services/backups/backups.ts";
import { attachmentHeaders, streamResponse } from "../../responses/attachment.ts";
import type { AppEnv } from "../../env.ts";

/** `POST /backups` (202), `GET /backups`, `GET /backups/:id`, `GET /backups/:id/download` (a tar archive), `DELETE /backups/:id` (204; ends one under way). */
export function backupRoutes(backups: Backups): Hono<AppEnv> {
  const routes = new Hono<AppEnv>();
  routes.post("/backups", async (c) => {
    const backup = await backups.start("MANUAL");
    c.set("auditedIds", [["id", backup.id]]);
    return c.json(backupBody(backup), 202);
  });
  routes.get("/backups", async (c) => {
    const results = (await backups.list()).map(backupBody);
    return c.json({ results, total: results.length });
  });
  routes.get("/backups/:id", async (c) => c.json(backupBody(await backups.get(c.req.param("id")))));
  routes.get("/backups/:id/download", async (c) => {
    const { fileName, bytes, stream } = await backups.open(c.req.param("id"));
    const headers = attachmentHeaders(fileName);
    headers.set("content-type", "application/x-tar");
    headers.set("content-length", String(bytes));
    headers.set("cache-control", "no-store");
    return await streamResponse(c, stream, headers);
  });
  routes.delete("/backups/:id", async (c) => {
    await backups.remove(c.req.param("id"));
    return c.body(null, 204);
  });
  return routes;
}

function backupBody({ createdAt, ...backup }: Backup): object {
  return { ...backup, createdAt: toIso(createdAt) };
}
