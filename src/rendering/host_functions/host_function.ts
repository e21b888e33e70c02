/** What functions of the host have in common: who calls, where the data comes from, how arguments are read. */
import type { Instant } from "../../base/clock.ts";
import type { JsonObject, JsonValue } from "../../base/json.ts";
import type { Execution } from "../../model/executions/execution.ts";

/** Where the data comes from. A port that is absent makes the functions that need it fail. */
export interface HostValues {
  /** A secret of that namespace or one above it; `undefined` when there is none. */
  secret(tenant: string, namespace: string, name: string): Promise<string | undefined>;
  /** Looks in that namespace, and unless `isExact` in the ones above it; `undefined` when there is none. */
  kvPair(
    tenant: string,
    pair: { namespace: string; key: string; isExact: boolean },
  ): Promise<JsonValue | undefined>;
  readonly files?: FilePort;
  readonly logs?: LogPort;
  readonly http?: HttpPort;
}

/** Where a file is kept. */
export type FilePlace =
  | { readonly namespace: string; readonly path: string }
  | {
    readonly executionId: string;
    readonly path: string;
    /** The execution asks for a file of its own. */
    readonly isUnderWay: boolean;
  };

/** What is known of a file. */
export interface FileFacts {
  /** Bytes. */
  readonly size: number;
  /** Of namespace files. */
  readonly revision?: number;
}

/** An open file; its content must be read to the end or cancelled. */
interface OpenedFile extends FileFacts {
  readonly content: ReadableStream<Uint8Array>;
}

/** Files of namespaces and of executions; `undefined` when there is none at that place. */
export interface FilePort {
  /** What is known of a file. */
  stat(tenant: string, place: FilePlace): Promise<FileFacts | undefined>;
  /** The file, open. */
  open(tenant: string, place: FilePlace): Promise<OpenedFile | undefined>;
  /** Whether one of two executions started the other, over any number of steps. */
  areRelated?(tenant: string, id: string, otherId: string): Promise<boolean>;
}

/** Log lines of executions. */
export interface LogPort {
  /** The ERROR lines so far of an execution under way, as the API answers them, oldest first. */
  errors(execution: Execution): Promise<JsonObject[]>;
}

/** A request of `http()`. */
export interface HttpCall {
  readonly method: string;
  /** With its query. */
  readonly uri: string;
  /** By name as given. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body?: string;
  /** As flows write them for requests: time-outs, authentication, … */
  readonly options: JsonObject;
}

/** What a server answered. */
export interface HttpReply {
  readonly code: number;
  /** `content-type` as sent, else `""`. */
  readonly contentType: string;
  readonly body: string;
}

/** Sends requests to other servers. */
export interface HttpPort {
  /** Resolves for any status. @throws Error with a text for the log when no answer came */
  call(request: HttpCall): Promise<HttpReply>;
}

/** On whose behalf an expression is rendered. */
export interface HostCaller {
  readonly tenant: string;
  readonly namespace: string;
  /** Absent outside of executions. */
  readonly execution?: Execution;
  readonly now?: () => Instant;
  /** Decrypted inputs of the execution. */
  readonly inputSecrets?: () => readonly string[];
  /** Renders what reads secrets, for an execution that was read back: it knows again what to mask. */
  readonly recall?: () => readonly (() => unknown)[];
}

/** Arguments by name. */
export type Arguments = ReadonlyMap<string, JsonValue>;

/** One call of a function. */
export interface HostCall {
  readonly args: Arguments;
  readonly caller: HostCaller;
  readonly values: HostValues;
  /** Masks that text in log lines from now on. */
  readonly remember: (secret: string) => void;
}

/** A function of the host. */
export interface HostFunctionEntry {
  readonly parameters: readonly string[];
  /** Its value at once, or as a promise: then the render is repeated with it. @throws Error with a text for the log */
  readonly call: (call: HostCall) => JsonValue | Promise<JsonValue>;
  /** What was fetched may serve other renders of the execution for a moment. */
  readonly isShared?: boolean;
  /** It does something outside: never done twice in a render, whatever the arguments are when the render is repeated. */
  readonly hasEffect?: boolean;
}

/** Functions of one noun, by name. */
export type HostFunctionTable = readonly (readonly [name: string, entry: HostFunctionEntry])[];

/** The value cannot be had; its message goes to the log of the execution. */
export class HostError extends Error {}

/** An argument as text; `undefined` when it is absent or null. */
export function textOf(args: Arguments, name: string): string | undefined {
  const value = args.get(name);
  return value === undefined || value === null ? undefined : String(value);
}

/** An argument as text. @throws HostError when it is absent or null */
export function requiredOf(args: Arguments, name: string): string {
  const value = textOf(args, name);
  if (value === undefined) throw new HostError(`Missing argument "${name}"`);
  return value;
}

/** The execution that calls. @throws HostError outside of executions */
export function executionOf({ caller: { execution } }: HostCall, name: string): Execution {
  if (execution) return execution;
  throw new HostError(`Cannot call "${name}": it is known in executions only`);
}

/** A port. @throws HostError when this server has none */
export function portOf<T>(port: T | undefined, name: string): T {
  if (port) return port;
  throw new HostError(`Cannot call "${name}": it is not available here`);
}
