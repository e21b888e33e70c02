/** A client that a generator writes from the description of the server, and how its round trip is run. */

/** Folders that the preparation of a client works with. */
export interface Workspace {
  /** A new empty folder; nothing of it is kept. */
  readonly folder: string;
  /** Path of the description, JSON. */
  readonly description: string;
}

/** The round trip is ready to run. */
export interface ReadyClient {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** What the generator or the compiler found wrong with the description or the script. */
  readonly problems: readonly string[];
}

/** This machine cannot generate the client. */
export interface SkippedClient {
  /** What is missing. */
  readonly missing: string;
}

/** One language and its generator. */
export interface ClientKit {
  readonly name: string;
  /** Installs the generator, generates the client, and checks it. */
  prepare(workspace: Workspace): Promise<ReadyClient | SkippedClient>;
}

/** Reads the last line of a round trip. @throws Error it is not the report */
export function readReport(output: string): RoundTripReport {
  const line = output.trim().split("\n").findLast((each) => each.startsWith("{")) ?? "";
  const report: unknown = line === "" ? undefined : JSON.parse(line);
  if (isReport(report)) return report;
  throw new Error(`The round trip ended without a report:\n${output}`);
}

/** What a round trip reports of itself. */
export interface RoundTripReport {
  /** Names of the generated functions that were called, each once. */
  readonly operations: readonly string[];
  /** Number of steps that passed. */
  readonly passed: number;
  readonly failures: readonly string[];
}

function isReport(value: unknown): value is RoundTripReport {
  const { operations, passed, failures } = (value ?? {}) as Partial<RoundTripReport>;
  return Array.isArray(operations) && typeof passed === "number" && Array.isArray(failures);
}
