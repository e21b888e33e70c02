/** Headers of messages of NATS. */
import { Buffer } from "node:buffer";
import { isJsonObject, type JsonObject, type JsonValue } from "../../base/json.ts";

/** Values by name. */
export type NatsHeaders = Readonly<Record<string, readonly string[]>>;

const VERSION = "NATS/1.0";

/** The bytes of headers; none without headers. @throws Error a name or value has a line break */
export function writtenHeaders(headers: NatsHeaders): Buffer {
  const lines = Object.entries(headers).flatMap(([name, values]) =>
    values.map((value) => `${name}: ${value}`)
  );
  if (lines.length === 0) return Buffer.alloc(0);
  const isBroken = lines.some((line) => /[\r\n]/.test(line)) ||
    Object.keys(headers).some((name) => !/^[^\s:]+$/.test(name));
  if (isBroken) {
    throw new Error("Invalid headers: a name or a value has a line break, or a name has spaces or colons");
  }
  return Buffer.from(`${[VERSION, ...lines].join("\r\n")}\r\n\r\n`);
}

/** Headers with the status of the server, if there is one. */
export function parseHeaders(
  text: string,
): { readonly headers: NatsHeaders; readonly status?: number; readonly description?: string } {
  const [first = "", ...lines] = text.split("\r\n").filter(Boolean);
  const [, status, description = ""] = /^NATS\/1\.0\s+(\d{3})\s*(.*)$/s.exec(first) ?? [];
  const headers = new Map<string, string[]>();
  for (const line of lines) {
    const at = line.indexOf(":");
    const name = line.slice(0, at).trim();
    headers.getOrInsertComputed(name, () => []).push(line.slice(at + 1).trim());
  }
  return { headers: Object.fromEntries(headers), ...status && { status: Number(status), description } };
}

/** The headers that a flow gives: texts or lists of texts by name. */
export function headersOf(given: JsonValue | undefined): NatsHeaders {
  const entries = isJsonObject(given) ? Object.entries(given) : [];
  return Object.fromEntries(
    entries.map(([name, value]) => [name, Array.isArray(value) ? value.map(String) : [String(value)]]),
  );
}

/** The headers for a flow. */
export function headerLists(headers: NatsHeaders): JsonObject {
  return Object.fromEntries(Object.entries(headers).map(([name, values]) => [name, [...values]]));
}
