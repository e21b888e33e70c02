/** Flows and contents of namespaces of a server, read by its API. */
import { isJsonObject, type JsonObject, objectsOf, ownProperty } from "../../base/json.ts";
import { type ApiClient, apiPath } from "./api_client.ts";
import { settingsOf } from "./namespace_settings.ts";
import type { MigrationSource, SourceContents, SourceFlow, SourceKey } from "./migration_source.ts";

/** The source behind a client. */
export function serverSource(client: ApiClient): MigrationSource {
  return { name: client.url, flows: () => flowsOf(client), contents: contentsOf(client) };
}

async function* flowsOf(client: ApiClient): AsyncGenerator<SourceFlow> {
  for await (const row of client.rows("/flows/search")) {
    const [namespace, id] = [textOf(row, "namespace"), textOf(row, "id")];
    const origin = `${namespace}.${id}`;
    const flow = await client.find(`/flows${apiPath(namespace, id)}`, { source: "true" });
    const source = isJsonObject(flow) ? ownProperty(flow, "source") : undefined;
    yield typeof source === "string"
      ? { origin, source }
      : { origin, problem: "the server gives no source of it" };
  }
}

function contentsOf(client: ApiClient): SourceContents {
  const below = (namespace: string, path: string) => `/namespaces${apiPath(namespace)}${path}`;
  return {
    async namespaces() {
      const found = new Set<string>();
      for await (const row of client.rows("/namespaces/search")) found.add(textOf(row, "id"));
      for (const list of ["/flows/search", "/kv"]) {
        for await (const row of client.rows(list)) found.add(textOf(row, "namespace"));
      }
      return [...found].filter((name) => name !== "").sort();
    },
    settings: async (namespace) => settingsOf(await client.find(below(namespace, ""))),
    async files(namespace) {
      const paths = await client.find(below(namespace, "/files/search"), { q: "" });
      return Array.isArray(paths) ? paths.map(String).filter((path) => !path.endsWith("/")) : [];
    },
    file: (namespace, path) => client.bytes(below(namespace, "/files"), { path }),
    async keys(namespace) {
      const keys = await client.find(below(namespace, "/kv"));
      return (Array.isArray(keys) ? objectsOf(keys) : []).map(keyOf).filter(({ key }) => key !== "");
    },
    async value(namespace, key) {
      const pair = await client.json(below(namespace, `/kv${apiPath(key)}`));
      return isJsonObject(pair) ? ownProperty(pair, "value") ?? null : null;
    },
    async secretNames(namespace) {
      const names: string[] = [];
      for await (const row of client.rows(below(namespace, "/secrets"))) names.push(textOf(row, "key"));
      return names.filter((name) => name !== "");
    },
  };
}

function keyOf(row: JsonObject): SourceKey {
  return {
    key: textOf(row, "key"),
    description: textOf(row, "description") || undefined,
    expiresAt: textOf(row, "expirationDate") || undefined,
  };
}

/** A text member; empty without one. */
function textOf(row: JsonObject, name: string): string {
  const value = ownProperty(row, name);
  return typeof value === "string" ? value : "";
}
