/** The REST API of Notion. https://developers.notion.com/reference */
import { isJsonObject, type JsonObject, objectsOf } from "../../base/json.ts";
import { tryParseLongJson } from "../../base/json_turns.ts";
import { dynamicText, type PropertySchemas } from "../../model/flows/schema.ts";
import { optionalText, type WorkContext } from "../../model/tasks/task_definition.ts";
import { callRepeatedly, refusalOf } from "../http_calls.ts";

const API = "https://api.notion.com/v1";
const VERSION = "2022-06-28";
/** Blocks of a request; Notion takes no more. */
const MAX_BLOCKS = 100;

/** Properties of all types. */
export const NOTION_PROPERTIES: PropertySchemas = Object.freeze({
  apiToken: dynamicText("Token of an integration that the pages are shared with; keep it as a secret.", {
    required: true,
    aliases: ["apiKey"],
  }),
});

type Caller = Pick<WorkContext, "properties" | "http" | "signal">;

interface NotionRequest {
  readonly method: "GET" | "POST" | "PATCH";
  /** Begins with a slash. */
  readonly path: string;
  readonly json?: JsonObject;
  /** For errors: verb and object. */
  readonly operation: string;
  /** Default is true for GET. */
  readonly isRepeatable?: boolean;
}

/** The body of a response. @throws Error no response, or the words of Notion */
export async function callNotion(
  context: Caller,
  { method, path, json, operation, isRepeatable = method === "GET" }: NotionRequest,
): Promise<JsonObject> {
  const url = `${API}${path}`;
  const headers = { Authorization: `Bearer ${context.properties.apiToken}`, "Notion-Version": VERSION };
  const request = { url, method, headers, json };
  const { status, text } = await callRepeatedly(context, () => request, { isRepeatable });
  const body = await tryParseLongJson(text);
  const result = isJsonObject(body) ? body : {};
  if (status < 300) return result;
  const code = optionalText(result.code);
  const words = optionalText(result.message) ?? text;
  throw refusalOf({ operation, url, status, words: code === undefined ? words : `${words} (${code})` });
}

/** The path of a page. @throws Error it is no id, nor the address of a page */
export function pagePath(id: unknown, kind: "pages" | "blocks" = "pages"): string {
  return `/${kind}/${pageIdOf(id)}`;
}

/** The id of a page: 32 hexadecimal digits, maybe with hyphens, or at the end of its address. @throws Error the text has no id */
export function pageIdOf(given: unknown): string {
  const text = String(given).trim().replace(/[?#].*$/s, "");
  const digits = /([0-9a-f]{32})$/i.exec(text.replaceAll("-", ""))?.[1]?.toLowerCase();
  if (digits === undefined) {
    throw new Error(`Invalid page id: "${text}" has no 32 hexadecimal digits at its end`);
  }
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

/** Adds blocks to the end of a page or a block. */
export async function appendBlocks(
  context: Caller,
  id: string,
  blocks: readonly JsonObject[],
): Promise<void> {
  for (let at = 0; at < blocks.length; at += MAX_BLOCKS) {
    await callNotion(context, {
      method: "PATCH",
      path: `${pagePath(id, "blocks")}/children`,
      json: { children: blocks.slice(at, at + MAX_BLOCKS) },
      operation: "add content to the page",
    });
  }
}

/** Blocks of a page that its creation may have; {@link appendBlocks} adds the others. */
export function firstBlocks(
  blocks: readonly JsonObject[],
): { readonly first: JsonObject[]; readonly rest: JsonObject[] } {
  return { first: blocks.slice(0, MAX_BLOCKS), rest: blocks.slice(MAX_BLOCKS) };
}

/** The blocks of a page or a block, each read as it is needed. */
export async function* childBlocks(context: Caller, id: string): AsyncGenerator<JsonObject> {
  for (let cursor: string | undefined = ""; cursor !== undefined;) {
    const query: string = cursor === "" ? "" : `&start_cursor=${encodeURIComponent(cursor)}`;
    const page: JsonObject = await callNotion(context, {
      method: "GET",
      path: `${pagePath(id, "blocks")}/children?page_size=${MAX_BLOCKS}${query}`,
      operation: "read the content of the page",
    });
    yield* objectsOf(page.results);
    cursor = page.has_more === true ? optionalText(page.next_cursor) : undefined;
  }
}
