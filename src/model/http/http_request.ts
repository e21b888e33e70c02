/** Parses the properties that HTTP tasks and triggers share into a request. Sends nothing. */
import { Buffer } from "node:buffer";
import { isJsonObject, type JsonObject, type JsonValue, stringifyJson } from "../../base/json.ts";
import { shownUri } from "../../base/network/shown_uri.ts";
import { optionalText, readHttpOptions, readResponseOptions, type ResponseOptions } from "./http_options.ts";
import { HttpError, type HttpOptions, type NamedText } from "../ports/http.ts";
import { isStorageUri, storedFileName } from "../namespaces/storage_uri.ts";

/** A part of a multipart body: a text or a named file. */
export type MultipartPart =
  | { readonly name: string; readonly text: string }
  | {
    readonly name: string;
    readonly fileName: string;
    readonly contentType: string;
    /** A storage URI or the content itself. */
    readonly content: string;
  };

/** The body of a request; files are not opened yet. */
export type HttpPayload =
  | { readonly type: "text"; readonly contentType: string; readonly text: string }
  | { readonly type: "multipart"; readonly parts: readonly MultipartPart[] };

/** A request as declared in a flow. */
export interface HttpDraft {
  readonly method: string;
  readonly uri: string;
  readonly headers: readonly NamedText[];
  readonly payload?: HttpPayload;
  readonly options: HttpOptions;
  readonly response: ResponseOptions;
}

const MULTIPART = "multipart/form-data";

/** Parses rendered properties. @throws HttpError invalid property */
export function readHttpRequest(properties: JsonObject): HttpDraft {
  const options = mapOf(properties.options, "options");
  const contentType = optionalText(properties.contentType);
  const headers = fieldsOf(mapOf(properties.headers, "headers"));
  const [, sentType] = headers.find(isContentType) ?? [];
  const payload = withType(readPayload(properties, contentType), sentType);
  if (!payload && contentType !== undefined && sentType === undefined) {
    headers.push(["Content-Type", contentType]);
  }
  return {
    method: (optionalText(properties.method) ?? "GET").toUpperCase(),
    uri: withParams(readUri(optionalText(properties.uri) ?? ""), mapOf(properties.params, "params")),
    headers,
    payload,
    options: readHttpOptions(options, mapOf(properties.sslOptions, "sslOptions")),
    response: readResponseOptions(options, properties.allowFailed),
  };
}

/** True for the header `Content-Type`. */
export function isContentType([name]: NamedText): boolean {
  return name.toLowerCase() === "content-type";
}

/** The value of the header `Authorization` for basic authentication (RFC 7617). */
export function basicCredentials(username: string, password: string): string {
  return `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`;
}

/** Encodes blanks, which users often leave unencoded. */
function readUri(text: string): string {
  const uri = text.trim().replaceAll(" ", "%20");
  const protocol = URL.canParse(uri) ? new URL(uri).protocol : undefined;
  if (protocol === "http:" || protocol === "https:") return uri;
  throw new HttpError(
    `Invalid uri "${shownUri(text)}": it must be an address that begins with http:// or https://`,
  );
}

function withParams(uri: string, params: JsonObject): string {
  const fields = fieldsOf(params);
  if (fields.length === 0) return uri;
  const [address = "", fragment] = uri.split("#", 2);
  const query = new URLSearchParams(fields.map(([name, value]) => [name, value])).toString();
  const joined = `${address}${address.includes("?") ? "&" : "?"}${query}`;
  return fragment === undefined ? joined : `${joined}#${fragment}`;
}

/** One field per list element, none for null. */
function fieldsOf(given: JsonObject): NamedText[] {
  return Object.entries(given).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value]).filter((item) => item !== null)
      .map((item): NamedText => [name, shownValue(item)])
  );
}

function readPayload(properties: JsonObject, contentType: string | undefined): HttpPayload | undefined {
  const form = mapOf(properties.formData, "formData");
  const { body } = properties;
  if (Object.keys(form).length > 0) {
    const isMultipart = contentType?.split(";")[0]?.trim().toLowerCase() === MULTIPART;
    if (isMultipart) return { type: "multipart", parts: Object.entries(form).flatMap(partsOf) };
    const text = new URLSearchParams(fieldsOf(form).map(([name, value]) => [name, value])).toString();
    return { type: "text", contentType: "application/x-www-form-urlencoded; charset=UTF-8", text };
  }
  if (body === undefined || body === null) return undefined;
  return { type: "text", contentType: contentType ?? "application/json", text: shownValue(body) };
}

/** A header takes precedence over the property, so a text is encoded as the header says. */
function withType(payload: HttpPayload | undefined, contentType: string | undefined) {
  return payload?.type !== "text" || contentType === undefined ? payload : { ...payload, contentType };
}

/** One part, but none for null, and one for each element of a list that holds a file. */
function partsOf([name, value]: [string, JsonValue]): MultipartPart[] {
  if (value === null) return [];
  const file = filePartOf(name, value);
  if (file) return [file];
  if (Array.isArray(value) && value.some((item) => filePartOf(name, item))) {
    return value.flatMap((item) => partsOf([name, item]));
  }
  return [{ name, text: shownValue(value) }];
}

/** The part of a file, which is given by its storage URI or by its name and content. */
function filePartOf(name: string, value: JsonValue): MultipartPart | undefined {
  if (typeof value === "string" && isStorageUri(value)) {
    return { name, fileName: storedFileName(value), contentType: BINARY, content: value };
  }
  if (!isJsonObject(value) || typeof value.name !== "string" || typeof value.content !== "string") {
    return undefined;
  }
  const contentType = optionalText(value.contentType) ?? BINARY;
  return { name, fileName: value.name, contentType, content: value.content };
}

const BINARY = "application/octet-stream";

function mapOf(value: JsonValue | undefined, name: string): JsonObject {
  if (value === undefined || value === null || value === "") return {};
  if (isJsonObject(value)) return value;
  throw new HttpError(`Invalid ${name}: it must be a map`);
}

function shownValue(value: JsonValue): string {
  return typeof value === "object" ? stringifyJson(value) : String(value);
}
