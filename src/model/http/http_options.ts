/** Parses the `options` of HTTP requests in flows. */
import { readDuration } from "../../base/time/duration.ts";
import { isJsonObject, type JsonObject, type JsonValue, ownProperty } from "../../base/json.ts";
import { isFlagSet } from "../../base/text/truthy_text.ts";
import { type HttpAuth, HttpError, type HttpOptions, type HttpProxy } from "../ports/http.ts";

const DEFAULT_CONNECT_TIMEOUT_MS = 30_000;
const DEFAULT_READ_IDLE_TIMEOUT_MS = 300_000;
/** Default limit of a response that is kept in memory, in bytes. */
const DEFAULT_MAX_CONTENT_LENGTH = 10 * 1024 * 1024;

/** Most bytes of a response that is kept in memory, whatever limit is given. */
export const MAX_KEPT_BYTES = 64 * 1024 * 1024;

/** The options for the response. */
export interface ResponseOptions {
  /** Status codes from 400 that count as success; `undefined` means all. */
  readonly allowedCodes: ReadonlySet<number> | undefined;
  /** Used if the response does not name its character set. */
  readonly defaultCharset: string;
  /** Parts to write to the log. */
  readonly logs: ReadonlySet<string>;
}

/** The options for the request. @throws HttpError invalid value */
export function readHttpOptions(given: JsonObject, ssl: JsonObject = {}): HttpOptions {
  const timeout = mapAt(given, "timeout");
  const connect = timeout.connectTimeout ?? given.connectTimeout;
  const read = timeout.readIdleTimeout ?? given.readIdleTimeout ?? given.readTimeout;
  return {
    connectTimeoutMs: durationOf(connect, "connectTimeout") ?? DEFAULT_CONNECT_TIMEOUT_MS,
    readIdleTimeoutMs: durationOf(read, "readIdleTimeout") ?? DEFAULT_READ_IDLE_TIMEOUT_MS,
    auth: readAuth(given),
    proxy: readProxy(given),
    isInsecure: isFlagSet(
      mapAt(given, "ssl").insecureTrustAllCertificates ?? ssl.insecureTrustAllCertificates,
    ),
    followRedirects: !isFalse(given.followRedirects),
    maxBytes: wholeOf(given.maxContentLength, "maxContentLength") ?? DEFAULT_MAX_CONTENT_LENGTH,
  };
}

/** The options of a request whose response is kept in memory. */
export function keptInMemory(options: HttpOptions): HttpOptions {
  return { ...options, maxBytes: Math.min(options.maxBytes ?? Infinity, MAX_KEPT_BYTES) };
}

/** The options for the response. @throws HttpError invalid value */
export function readResponseOptions(given: JsonObject, allowFailed: JsonValue | undefined): ResponseOptions {
  const codes = listOf(given.allowedResponseCodes).map((code) => wholeOf(code, "allowedResponseCodes") ?? 0);
  return {
    allowedCodes: isFlagSet(allowFailed) || isFlagSet(given.allowFailed) ? undefined : new Set(codes),
    defaultCharset: optionalText(given.defaultCharset) ?? "UTF-8",
    logs: new Set(listOf(given.logs).map(String)),
  };
}

function isFalse(value: JsonValue | undefined): boolean {
  return String(value).trim().toLowerCase() === "false";
}

function readAuth(given: JsonObject): HttpAuth | undefined {
  const auth = mapAt(given, "auth");
  const type = optionalText(auth.type)?.toUpperCase();
  if (type === "BEARER") return { type, token: optionalText(auth.token) ?? "" };
  const username = optionalText(auth.username) ?? optionalText(given.basicAuthUser);
  const password = optionalText(auth.password) ?? optionalText(given.basicAuthPassword) ?? "";
  if (type === undefined && username === undefined) return undefined;
  if (type !== undefined && type !== "BASIC" && type !== "DIGEST") {
    throw new HttpError(`Invalid type of credentials "${type}": it must be BASIC, DIGEST or BEARER`);
  }
  return { type: type ?? "BASIC", username: username ?? "", password };
}

function readProxy(given: JsonObject): HttpProxy | undefined {
  const proxy = mapAt(given, "proxy");
  const address = optionalText(proxy.address) ?? optionalText(given.proxyAddress);
  const type = (optionalText(proxy.type) ?? optionalText(given.proxyType) ?? (address ? "HTTP" : "DIRECT"))
    .toUpperCase();
  if (type === "DIRECT") return undefined;
  if (type !== "HTTP" && type !== "SOCKS") {
    throw new HttpError(`Invalid type of a proxy "${type}": it must be DIRECT, HTTP or SOCKS`);
  }
  const port = wholeOf(proxy.port ?? given.proxyPort, "proxy.port");
  if (!address || port === undefined) throw new HttpError("A proxy needs an address and a port");
  return {
    type,
    address,
    port,
    username: optionalText(proxy.username) ?? optionalText(given.proxyUsername),
    password: optionalText(proxy.password) ?? optionalText(given.proxyPassword),
  };
}

function durationOf(value: JsonValue | undefined, name: string): number | undefined {
  const text = optionalText(value);
  if (text === undefined) return undefined;
  const ms = readDuration(text);
  if (ms !== undefined && ms > 0) return ms;
  throw new HttpError(
    `Invalid ${name} "${text}": it must be an ISO 8601 duration such as PT10S, or a number of seconds`,
  );
}

function wholeOf(value: JsonValue | undefined, name: string): number | undefined {
  const text = optionalText(value);
  if (text === undefined) return undefined;
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new HttpError(`Invalid ${name} "${text}": it must be a whole number`);
}

/** The text of a property; `undefined` if it is absent, null or empty. */
export function optionalText(value: JsonValue | undefined): string | undefined {
  return value === undefined || value === null || value === "" ? undefined : String(value);
}

function listOf(value: JsonValue | undefined): readonly JsonValue[] {
  if (Array.isArray(value)) return value;
  return value === undefined || value === null ? [] : [value];
}

function mapAt(object: JsonObject, name: string): JsonObject {
  const value = ownProperty(object, name);
  return isJsonObject(value) ? value : {};
}
