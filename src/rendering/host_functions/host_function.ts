/** Shared parts of host functions: the caller, the data ports, the arguments. */
import type { Instant } from "../../base/time/clock.ts";
import type { JsonObject, JsonValue } from "../../base/json.ts";
import type { RootTemplate } from "../../expr/mod.ts";
import type { Execution } from "../../model/executions/execution.ts";
import type { Label } from "../../model/flows/label.ts";

/** The data ports. Without a port the functions that need it fail. */
export interface HostValues {
  /**
   * A secret of that namespace or one above it; `undefined` if it does not exist. `usedBy`: the flow that uses it,
   * `<namespace>.<flow>`.
   */
  secret(tenant: string, namespace: string, name: string, usedBy?: string): Promise<string | undefined>;
  /** Expressions see stars in place of secrets: what they make of a value is not masked. */
  readonly hidesSecrets?: boolean;
  /**
   * A KV pair of that namespace or, unless `isExact`, one above it; `undefined` if it does not exist. `from`: the namespace of
   * the flow that reads it. @throws Error the namespace does not exist, with a text for the log
   */
  kvPair(
    tenant: string,
    pair: { namespace: string; key: string; isExact: boolean; from: string },
  ): Promise<JsonValue | undefined>;
  readonly files?: FilePort;
  readonly logs?: LogPort;
  readonly http?: HttpPort;
  readonly subflows?: SubflowPort;
  /** Evaluates templates that would hold the thread of the server for too long. */
  readonly slowRenders?: SlowRenders;
}

/** A template to evaluate in another thread. */
export interface SlowRender {
  readonly tenant: string;
  readonly template: RootTemplate;
  readonly now: Instant;
  readonly timeZone: string;
  /** Milliseconds that the render may take, and those that it has taken. */
  readonly limitMs: number;
  readonly usedMs: number;
  /** Names of the authored root variables. */
  readonly authoredNames: readonly string[];
  readonly functions: readonly SlowFunction[];
}

/** A function that the template may call; the host runs it. */
interface SlowFunction {
  readonly name: string;
  readonly parameters: readonly string[];
  readonly isForAuthors?: boolean;
  /** It has an effect outside: only the thread of the server may evaluate the template. */
  readonly isOnlyHere?: boolean;
}

/** What such an evaluation reads from the thread of the server. */
export interface SlowRenderHost {
  /** The same for all templates that see the variables of one execution. */
  readonly owner: object;
  /** A root variable; `isAuthored`: as the author of the flow wrote it. */
  variable(name: string, isAuthored: boolean): JsonValue | undefined;
  /** The value of a function. @throws ExpressionError */
  call(name: string, args: Arguments): Promise<JsonValue>;
}

/** What an evaluation gave, and its milliseconds. */
export interface SlowResult {
  readonly value: JsonValue;
  readonly usedMs: number;
}

/** Evaluates templates in another thread. */
export interface SlowRenders {
  /**
   * The text or value of a template; `undefined` when only this thread can evaluate it. @throws ExpressionError the
   * template fails or takes too long
   */
  render(render: SlowRender, host: SlowRenderHost): Promise<SlowResult | undefined>;
}

/** The place of a file. */
export type FilePlace =
  | { readonly namespace: string; readonly path: string }
  | {
    readonly executionId: string;
    readonly path: string;
    /** The calling execution owns the file. */
    readonly isUnderWay: boolean;
  };

/** Facts about a file. */
export interface FileFacts {
  /** Bytes. */
  readonly size: number;
  /** Only of namespace files. */
  readonly revision?: number;
}

/** An open file; its content must be read to the end or cancelled. */
interface OpenedFile extends FileFacts {
  readonly content: ReadableStream<Uint8Array>;
}

/** Files of namespaces and of executions; `undefined` if the file does not exist. */
export interface FilePort {
  /** Size and revision. */
  stat(tenant: string, place: FilePlace): Promise<FileFacts | undefined>;
  /** Opens the file. */
  open(tenant: string, place: FilePlace): Promise<OpenedFile | undefined>;
  /** True when one of two executions started the other, directly or not. */
  areRelated?(tenant: string, id: string, otherId: string): Promise<boolean>;
}

/** Log lines of executions. */
export interface LogPort {
  /** The ERROR lines of a running execution so far, as in the API, oldest first. */
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

/** The response of a server. */
export interface HttpReply {
  readonly code: number;
  /** `content-type` as sent, else `""`. */
  readonly contentType: string;
  readonly body: string;
}

/** Sends requests to other servers. */
export interface HttpPort {
  /** Resolves for any status. @throws Error with a text for the log when there is no response */
  call(request: HttpCall): Promise<HttpReply>;
}

/** A call of `subflow()`. */
export interface SubflowCall {
  readonly tenant: string;
  readonly namespace: string;
  readonly flowId: string;
  readonly revision?: number;
  readonly inputs: JsonObject;
  readonly labels: readonly Label[];
  /** Longest wait for the end. */
  readonly timeoutMs: number;
}

/** Runs flows. */
export interface SubflowPort {
  /** `id`, `state`, `outputs` and `labels` of the execution that has ended. @throws Error with a text for the log */
  run(call: SubflowCall): Promise<JsonObject>;
}

/** The owner of a render. */
export interface HostCaller {
  readonly tenant: string;
  readonly namespace: string;
  /** Absent outside of executions. */
  readonly execution?: Execution;
  /** The flow, where there is no execution yet. */
  readonly flowId?: string;
  readonly now?: () => Instant;
  /** Decrypted inputs of the execution. */
  readonly inputSecrets?: () => readonly string[];
  /** Renders the secrets of the flow, so that an execution loaded from the store knows what to mask. */
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

/** A host function. */
export interface HostFunctionEntry {
  readonly parameters: readonly string[];
  /** Returns the value, or a promise: then the render is repeated with the value. @throws Error with a text for the log */
  readonly call: (call: HostCall) => JsonValue | Promise<JsonValue>;
  /** Only texts of the flow itself may call it, never data that is rendered. */
  readonly isForAuthors?: boolean;
  /** A fetched value serves other renders of the execution for one second. */
  readonly isShared?: boolean;
  /** A call has an effect outside: a repeated render does not call it again, even with other arguments. */
  readonly hasEffect?: boolean;
}

/** Functions of one noun, by name. */
export type HostFunctionTable = readonly (readonly [name: string, entry: HostFunctionEntry])[];

/** A value cannot be read; the message goes to the log of the execution. */
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
