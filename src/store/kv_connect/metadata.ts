/** The metadata exchange of KV Connect: where the database is reached, and with which token. */
import type { Instant } from "../../base/time/clock.ts";

/** Versions of the protocol that this client speaks. */
const VERSIONS = [2, 3];

/** What a request to the database needs. */
export interface Metadata {
  /** Address that reads and writes with strong consistency, without a slash at the end. */
  readonly endpoint: string;
  readonly headers: Readonly<Record<string, string>>;
  /** When it must have been renewed. */
  readonly expiresAt: Instant;
}

/** The body of the request. */
export const METADATA_REQUEST: string = JSON.stringify({ supportedVersions: VERSIONS });

interface MetadataResponse {
  readonly version?: unknown;
  readonly databaseId?: unknown;
  readonly token?: unknown;
  readonly expiresAt?: unknown;
  readonly endpoints?: readonly { readonly url?: unknown; readonly consistency?: unknown }[];
}

/** Reads the response; `base` is the address that gave it. @throws Error when it is not of a KV Connect server */
export function readMetadata(text: string, base: string): Metadata {
  const { version, databaseId, token, expiresAt, endpoints } = parse(text);
  const strong = Array.isArray(endpoints)
    ? endpoints.find(({ consistency }) => consistency === "strong")
    : undefined;
  const isKnown = typeof version === "number" && VERSIONS.includes(version);
  if (!isKnown || typeof databaseId !== "string" || typeof token !== "string" || !strong) {
    throw new Error("the server does not speak KV Connect");
  }
  const expiry = Date.parse(String(expiresAt));
  return {
    endpoint: new URL(String(strong.url), base).href.replace(/(?<!\/)\/+$/, ""),
    headers: {
      "authorization": `Bearer ${token}`,
      "content-type": "application/x-protobuf",
      "x-denokv-version": String(version),
      "x-denokv-database-id": databaseId,
    },
    expiresAt: Number.isNaN(expiry) ? 0 : expiry,
  };
}

function parse(text: string): MetadataResponse {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? value : {};
  } catch {
    return {};
  }
}
