/** What a migration reads: flows, and with them the contents of namespaces if the source is a server. */
import type { JsonObject, JsonValue } from "../../base/json.ts";

/** One flow as it is written. */
export interface SourceFlow {
  /** File with the number of the document, entry of an archive, or `namespace.id`. */
  readonly origin: string;
  /** Absent: the reason why it cannot be read. */
  readonly source?: string;
  readonly problem?: string;
}

/** A key of a namespace. */
export interface SourceKey {
  readonly key: string;
  readonly description?: string;
  /** ISO text. */
  readonly expiresAt?: string;
}

/** What a namespace declares, as the API writes it: `description`, `variables`, `pluginDefaults`. */
export type NamespaceSettings = Readonly<JsonObject>;

/** What namespaces hold besides flows. */
export interface SourceContents {
  /** Names of namespaces, sorted. */
  namespaces(): Promise<readonly string[]>;
  /** What its flows inherit; `undefined` if it declares nothing. */
  settings(namespace: string): Promise<NamespaceSettings | undefined>;
  /** Paths of files, each with a leading slash. */
  files(namespace: string): Promise<readonly string[]>;
  /** Content of a file. */
  file(namespace: string, path: string): Promise<Uint8Array<ArrayBuffer>>;
  /** Keys of pairs that have not expired. */
  keys(namespace: string): Promise<readonly SourceKey[]>;
  /** Value of a key. */
  value(namespace: string, key: string): Promise<JsonValue>;
  /** Names only. */
  secretNames(namespace: string): Promise<readonly string[]>;
}

/** Where flows come from. */
export interface MigrationSource {
  /** For messages: the path or address. */
  readonly name: string;
  /** Each flow once, read on demand. */
  flows(): AsyncIterable<SourceFlow>;
  readonly contents?: SourceContents;
}
