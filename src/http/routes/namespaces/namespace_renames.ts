/** What refers to a namespace, and its rename. */
import { Hono } from "hono";
import { isJsonObject, type JsonObject, ownProperty } from "../../../base/json.ts";
import type { NamespaceRenames } from "../../../services/namespaces/namespace_renames.ts";
import type { NamespaceUsage, NamespaceUsages } from "../../../services/namespaces/namespace_usage.ts";
import { readJson } from "../../bodies/body.ts";
import type { AppEnv } from "../../env.ts";
import { queryOf, readBoolean } from "../../forms/params.ts";
import { invalidArgument, invalidBody } from "../../refusals.ts";
import { valueResponse } from "../../responses/json_response.ts";

interface NamespaceRenameRoutes {
  readonly usages: Pick<NamespaceUsages, "of">;
  readonly renames: Pick<NamespaceRenames, "rename">;
}

/** Routes under `/namespaces`, relative to the tenant. */
export function namespaceRenameRoutes({ usages, renames }: NamespaceRenameRoutes): Hono<AppEnv> {
  const routes = new Hono<AppEnv>();

  routes.get("/namespaces/:namespace/usage", async (c) => {
    const isAlone = !readBoolean(queryOf(c), "children", true);
    return valueResponse(response(await usages.of(c.get("actor"), c.req.param("namespace"), isAlone)));
  });

  routes.post("/namespaces/:namespace/rename", async (c) => {
    const body = await readJson(c);
    if (!isJsonObject(body)) throw invalidBody('the body must be an object with a text as "id"');
    const to = ownProperty(body, "id");
    if (typeof to !== "string") throw invalidBody('the body must have a text as "id"');
    const { moves, usage } = await renames.rename(c.get("actor"), {
      from: c.req.param("namespace"),
      to,
      isAlone: !flag(body, "children", true),
      isForced: flag(body, "force", false),
    });
    c.set("auditedIds", [["renamedTo", to], ["count", String(moves.length)]]);
    const namespaces = moves.map(([from, id]) => ({ from, id }));
    return valueResponse({ id: to, namespaces, usage: response(usage) });
  });
  return routes;
}

function response({ below, webhooks, unfinished, references, isCut }: NamespaceUsage): JsonObject {
  return {
    children: [...below],
    webhooks: [...webhooks],
    executions: { total: unfinished.total, ids: [...unfinished.ids] },
    references: references.map(({ kind, id, line, isEdited }) => ({
      kind,
      id,
      ...(line !== undefined && { line }),
      edited: isEdited,
    })),
    cut: isCut,
  };
}

function flag(body: JsonObject, name: string, fallback: boolean): boolean {
  const value = ownProperty(body, name) ?? fallback;
  if (typeof value === "boolean") return value;
  throw invalidArgument(`"${name}" must be true or false`);
}
