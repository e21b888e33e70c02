/** The `options` of HTTP requests, as flows write them, read once. */
import { parseDuration } from "../../base/duration.ts";
import { isJsonObject, type JsonObject, type JsonValue, ownProperty } from "../../base/json.ts";
import { isFlagSet } from "../../base/truthy_text.ts";
import { type HttpAuth, HttpError, type HttpOptions, type HttpProxy } from "../ports/http.ts";

const DEFAULT_CONNECT_TIMEOUT_MS = 30_000;
const DEFAULT_READ_IDLE_TIMEOUT_MS = 300_000;
/** Most bytes of an answer that is kept in memory, unless a request says otherwise. */
const DEFAULT_MAX_CONTENT_LENGTH = 10 * 1024 * 1024;

/** What `options` say of the answer, beside how the request is sent. */
export interface ResponseOptions {
  /** Codes of 400 or more that are a success; `undefined` when all are. */
  readonly allowedCodes: ReadonlySet<number> | undefined;
  /** Used where the answer does not name its character set. */
  readonly defaultCharset: string;
  /** Parts that are written to the log. */
  readonly logs: ReadonlySet<string>;
}

/** How a request is sent. @throws HttpError: a value is none of what it must be */
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

/** What counts as a success, and what is said of the answer. @throws HttpError */
export function readResponseOptions(given: JsonObject, allowFailed: JsonValue | undefined): ResponseOptions {
  const codes = listOf(given.allowedResponseCodes).map((code) => wholeOf(code, "allowedResponseCodes") ?? 0);
  return {
    allowedCodes: isFlagSet(allowFailed) || isFlagSet(given.allowFailed) ? undefined : new Set(codes),
    defaultCharset: givenText(given.defaultCharset) ?? "UTF-8",
    logs: new Set(listOf(given.logs).map(String)),
  };
}

function isFalse(value: JsonValue | undefined): boolean {
  return String(value).trim().toLowerCase() === "false";
}

function readAuth(given: JsonObject): HttpAuth | undefined {
  const auth = mapAt(given, "auth");
  const type = givenText(auth.type)?.toUpperCase();
  if (type === "BEARER") return { type, token: givenText(auth.token) ?? "" };
  const username = givenText(auth.username) ?? givenText(given.basicAuthUser);
  const password = givenText(auth.password) ?? givenText(given.basicAuthPassword) ?? "";
  if (type === undefined && username === undefined) return undefined;
  if (type !== undefined && type !== "BASIC" && type !== "DIGEST") {
    throw new HttpError(`Invalid type of credentials "${type}": it must be BASIC, DIGEST or BEARER`);
  }
  return { type: type ?? "BASIC", username: username ?? "", password };
}

function readProxy(given: JsonObject): HttpProxy | undefined {
  const proxy = mapAt(given, "proxy");
  const address = givenText(proxy.address) ?? givenText(given.proxyAddress);
  const type = (givenText(proxy.type) ?? givenText(given.proxyType) ?? (address ? "HTTP" : "DIRECT"))
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
    username: givenText(proxy.username) ?? givenText(given.proxyUsername),
    password: givenText(proxy.password) ?? givenText(given.proxyPassword),
  };
}

function durationOf(value: JsonValue | undefined, name: string): number | undefined {
  const text = givenText(value);
  if (text === undefined) return undefined;
  const ms = parseDuration(text);
  if (ms !== undefined && ms > 0) return ms;
  throw new HttpError(`Invalid ${name} "${text}": it must be an ISO 8601 duration such as PT10S`);
}

function wholeOf(value: JsonValue | undefined, name: string): number | undefined {
  const text = givenText(value);
  if (text === undefined) return undefined;
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new HttpError(`Invalid ${name} "${text}": it must be a whole number`);
}

/** The text of a property; `undefined` when it is absent or empty. */
export function givenText(value: JsonValue | undefined): string | undefined {
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
