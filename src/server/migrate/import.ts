/**
 * Imports flows and contents of namespaces into a server. An item that the target has already is compared, so that an
 * import can be repeated after a failure: what is equal is left alone, what differs is kept unless it is to be overwritten.
 */
import { systemClock } from "../../base/time/clock.ts";
import { formatDuration } from "../../base/time/duration.ts";
import {
  isJsonObject,
  jsonEquals,
  type JsonObject,
  type JsonValue,
  ownProperty,
  stringifyJson,
} from "../../base/json.ts";
import { isSameSource, parseFlowSource, setDisabled } from "../../flow/mod.ts";
import { DomainError } from "../../model/errors.ts";
import { type ApiClient, ApiError, apiPath } from "./api_client.ts";
import type { CheckedFlow } from "./flow_check.ts";
import type { NamespaceSettings, SourceContents, SourceKey } from "./migration_source.ts";
import { isSameInheritance, settingsOf } from "./namespace_settings.ts";

/** What happened to an item: `kept` is what the target has with other content. */
export type ItemResult = "created" | "replaced" | "unchanged" | "kept" | "failed";

/** An item of an import. */
export interface ImportedItem {
  readonly kind: "namespace" | "file" | "kv" | "flow";
  readonly name: string;
  readonly result: ItemResult;
  /** Reason of a failure. */
  readonly reason?: string;
}

interface ImportDeps {
  readonly target: ApiClient;
  readonly isOverwrite: boolean;
  readonly isDisabled: boolean;
}

/** Creates an item if the target has none. */
interface Item<Value> {
  /** What the target has. */
  readonly existing: () => Promise<Value | undefined>;
  readonly isSame: (existing: Value) => boolean;
  readonly write: (isNew: boolean) => Promise<void>;
}

/** Imports into one target. Failures of items are results; an error means that the target cannot be reached. */
export class Importer {
  readonly #deps: ImportDeps;

  constructor(deps: ImportDeps) {
    this.#deps = deps;
  }

  /** What the flows of a namespace inherit, its files and its KV pairs. @throws ApiError */
  async *contents(contents: SourceContents, namespace: string): AsyncGenerator<ImportedItem> {
    const settings = await contents.settings(namespace);
    if (settings) {
      yield await this.#import(
        "namespace",
        namespace,
        () => Promise.resolve(this.#settings(namespace, settings)),
      );
    }
    for (const path of await contents.files(namespace)) {
      yield await this.#import("file", `${namespace}${path}`, () => this.#file(contents, namespace, path));
    }
    for (const key of await contents.keys(namespace)) {
      yield await this.#import("kv", `${namespace} ${key.key}`, () => this.#pair(contents, namespace, key));
    }
  }

  /** A flow that is not refused. @throws ApiError */
  async flow({ namespace = "", id = "", source }: CheckedFlow): Promise<ImportedItem> {
    return await this.#import("flow", `${namespace}.${id}`, () => {
      const { target, isDisabled } = this.#deps;
      const wanted = isDisabled ? setDisabled(source, true) : source;
      const path = `/flows${apiPath(namespace, id)}`;
      const request = { headers: { "content-type": "application/x-yaml" }, body: wanted };
      return Promise.resolve({
        existing: async () => sourceOf(await target.find(path, { source: "true" })),
        isSame: (existing: string) => isSameSource(savedSource(existing), savedSource(wanted)),
        write: (isNew) =>
          target.send(isNew ? "/flows" : path, { method: isNew ? "POST" : "PUT", ...request }),
      });
    });
  }

  #settings(namespace: string, settings: NamespaceSettings): Item<NamespaceSettings> {
    const { target } = this.#deps;
    const path = `/namespaces${apiPath(namespace)}`;
    const body = stringifyJson({ ...settings, id: namespace });
    const request = { headers: { "content-type": "application/json" }, body };
    return {
      existing: async () => settingsOf(await target.find(path)),
      isSame: (existing) => isSameInheritance(existing, settings),
      write: async () => {
        try {
          await target.send(path, { method: "PUT", ...request });
        } catch (error) {
          // A namespace without flows has to be created.
          if (!(error instanceof ApiError) || error.status !== 404) throw error;
          await target.send("/namespaces", { method: "POST", ...request });
        }
      },
    };
  }

  async #file(contents: SourceContents, namespace: string, path: string): Promise<Item<Uint8Array>> {
    const { target } = this.#deps;
    const bytes = await contents.file(namespace, path);
    const base = `/namespaces${apiPath(namespace)}/files`;
    return {
      existing: async () => {
        const stat = await target.find(`${base}/stats`, { path });
        if (!isJsonObject(stat) || stat.type !== "File") return undefined;
        return stat.size === bytes.length ? await target.bytes(base, { path }) : new Uint8Array();
      },
      isSame: (existing) =>
        existing.length === bytes.length && existing.every((byte, index) => byte === bytes[index]),
      write: () => {
        const body = new FormData();
        // Not the name of the file: the target would unpack one that ends in .zip.
        body.append("fileContent", new Blob([bytes]), "content");
        return target.send(base, { method: "POST", query: { path }, body });
      },
    };
  }

  async #pair(contents: SourceContents, namespace: string, key: SourceKey): Promise<Item<JsonValue>> {
    const { target } = this.#deps;
    const value = await contents.value(namespace, key.key);
    const path = `/namespaces${apiPath(namespace)}/kv${apiPath(key.key)}`;
    return {
      existing: async () => {
        const body = await target.find(path);
        return isJsonObject(body) ? ownProperty(body, "value") : undefined;
      },
      isSame: (existing) => jsonEquals(existing, value),
      write: () => target.send(path, { method: "PUT", ...pairRequest(value, key) }),
    };
  }

  async #import<Value>(
    kind: ImportedItem["kind"],
    name: string,
    prepare: () => Promise<Item<Value>>,
  ): Promise<ImportedItem> {
    try {
      return { kind, name, result: await this.#write(await prepare()) };
    } catch (error) {
      // Without a status the server was not reached, and with these no other item would be imported either.
      const isRefusal = error instanceof ApiError && error.status !== undefined &&
        ![401, 403, 503].includes(error.status);
      if (!isRefusal && !(error instanceof DomainError)) throw error;
      return { kind, name, result: "failed", reason: error.message };
    }
  }

  async #write<Value>({ existing, isSame, write }: Item<Value>): Promise<ItemResult> {
    const found = await existing();
    if (found !== undefined && isSame(found)) return "unchanged";
    if (found !== undefined && !this.#deps.isOverwrite) return "kept";
    await write(found === undefined);
    return found === undefined ? "created" : "replaced";
  }
}

function pairRequest(value: JsonValue, { description, expiresAt }: SourceKey) {
  const remainingMs = expiresAt === undefined ? undefined : Date.parse(expiresAt) - systemClock.now();
  return {
    headers: {
      "content-type": "application/json",
      ...description !== undefined && { description },
      ...remainingMs !== undefined && { ttl: formatDuration(Math.max(remainingMs, 1)) },
    },
    body: stringifyJson(value),
  };
}

function sourceOf(flow: JsonValue | undefined): string | undefined {
  if (!isJsonObject(flow) || flow.deleted === true) return undefined;
  return typeof flow.source === "string" ? flow.source : "";
}

function savedSource(source: string): { readonly document: JsonObject; readonly source: string } {
  return { document: parseFlowSource(source).document ?? {}, source };
}
