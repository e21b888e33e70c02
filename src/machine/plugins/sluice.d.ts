/** Types for plugins of Sluice: put this file beside them. `defineTask`, `defineTrigger` and `console` need no import. */

/** A property or an output. */
interface SluiceProperty {
  readonly type:
    | "string"
    | "integer"
    | "number"
    | "boolean"
    /** ISO 8601, such as `PT10S`, or a number of seconds. */
    | "duration"
    /** ISO 8601. */
    | "dateTime"
    /** Elements as in `items`. */
    | "list"
    /** Any keys; values as in `items`. */
    | "map"
    /** Only the members in `properties`. */
    | "object"
    | "any";
  readonly description: string;
  readonly required?: boolean;
  /** False: no expressions. */
  readonly dynamic?: boolean;
  /** Allowed texts. */
  readonly values?: readonly string[];
  readonly default?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxLength?: number;
  /** Regular expression that the whole text must match. */
  readonly pattern?: string;
  /** Deprecated but supported; the text names the replacement. */
  readonly deprecated?: string;
  readonly items?: SluiceProperty;
  readonly properties?: Readonly<Record<string, SluiceProperty>>;
}

interface SluiceRequest {
  readonly url: string;
  /** Default is GET, with a body POST. */
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** Sent as JSON, instead of `body`. */
  readonly json?: unknown;
  /** Path of a file of `directory()`, or what `bodyOf` gave, sent as a stream instead of `body`. */
  readonly bodyFile?: string;
  /** The part of `bodyFile` that is sent, in bytes. */
  readonly bodyPart?: { readonly offset: number; readonly length: number };
  /** Name of a file in `directory()` that a body of status 2xx is written to, up to `maxFileBytes`. */
  readonly saveTo?: string;
  /** Default is true. */
  readonly followRedirects?: boolean;
  /** PEM texts for an `https` connection; a request with it follows no redirect. */
  readonly tls?: {
    readonly ca?: string;
    readonly certificate?: string;
    readonly key?: string;
    readonly isInsecure?: boolean;
  };
  /** Default is 30 seconds. */
  readonly timeoutMs?: number;
  /** Largest response that is kept in memory; default is 10 MiB. */
  readonly maxBytes?: number;
}

interface SluiceResponse {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Empty for a body that was saved. */
  readonly bytes: Uint8Array;
  readonly text: string;
  /** Path of the saved body. */
  readonly path?: string;
  /** Bytes of the saved body. */
  readonly size?: number;
}

interface SluiceExecution {
  readonly id: string;
  readonly namespace: string;
  readonly flowId: string;
  readonly state: string;
  readonly startedAt: string;
  readonly durationMs: number;
  readonly failedTasks: readonly string[];
  readonly url?: string;
}

/** What all work has. */
interface SluiceWork {
  /** Rendered, with defaults, each with the declared type. */
  // deno-lint-ignore no-explicit-any
  readonly properties: Readonly<Record<string, any>>;
  /** Aborted when the work must stop; half a second later its process is ended. */
  readonly signal: AbortSignal;
  /** Adds a line to the log of the execution; of a trigger, of the execution that it starts. */
  log(level: "TRACE" | "DEBUG" | "INFO" | "WARN" | "ERROR", message: string): void;
  /** Sends a request by the server, within its rules for addresses; needs no permission. */
  http(request: SluiceRequest): Promise<SluiceResponse>;
  /**
   * An IP address of a host that the rules of the server for addresses allow. To connect to it, `permissions.net` must name
   * that address too.
   */
  connectAddress(host: string, port: number): Promise<{ readonly hostname: string; readonly port: number }>;
}

interface SluiceFiles {
  /** Copies a stored file into the directory of the work; returns its path. */
  fetchFile(uri: string): Promise<string>;
  /** A stored file for `bodyFile` of requests, and its bytes: it is sent without a copy. */
  bodyOf(uri: string): Promise<{ readonly bodyFile: string; readonly size: number }>;
  /** The only directory that the plugin may read and change. */
  directory(): Promise<string>;
  /** Stores a file of that directory; returns its URI. */
  storeFile(path: string): Promise<string>;
  /** Bytes of the largest file that can be stored. */
  readonly maxFileBytes: number;
}

interface SluiceContext extends SluiceWork, SluiceFiles {
  readonly attempt: {
    readonly tenant: string;
    readonly namespace: string;
    readonly flowId: string;
    readonly executionId: string;
    readonly taskId: string;
    readonly taskRunId: string;
    readonly attemptNumber: number;
  };
  metric(
    name: string,
    value: number,
    options?: {
      readonly type?: "counter" | "timer" | "gauge";
      readonly tags?: Readonly<Record<string, string>>;
    },
  ): void;
  /** Reads an execution. */
  execution(id: string): Promise<SluiceExecution>;
}

interface SluiceTriggerKey {
  readonly tenant: string;
  readonly namespace: string;
  readonly flowId: string;
  readonly triggerId: string;
}

interface SluicePollContext extends SluiceWork, SluiceFiles {
  readonly trigger: SluiceTriggerKey;
  /** JSON of at most 16 KiB for the next poll, stored together with the result of this one. */
  readonly state: {
    /** What an earlier poll has set last. */
    // deno-lint-ignore no-explicit-any
    get(): Readonly<Record<string, any>> | undefined;
    // deno-lint-ignore no-explicit-any
    set(state: Readonly<Record<string, any>>): void;
  };
  /** Registers what is done once the result of the poll is durable: messages are confirmed then. */
  whenDurable(confirm: () => Promise<void>): void;
}

interface SluiceRealtimeContext extends SluiceWork {
  readonly trigger: SluiceTriggerKey;
  /** To be called when the connection works: if it does for some time, pauses begin at a second again. */
  connected(): void;
  /**
   * Starts an execution; resolves once that is durable, so that a message can be acknowledged. Of the last 100 events with an
   * `identity` none starts an execution twice.
   */
  emit(
    // deno-lint-ignore no-explicit-any
    outputs: Readonly<Record<string, any>>,
    options?: { readonly identity?: string },
  ): Promise<void>;
}

interface SluiceType {
  /** Name in flows, such as `com.example.Weather`. */
  readonly type: string;
  readonly aliases?: readonly string[];
  readonly title?: string;
  /** Markdown. */
  readonly description: string;
  readonly properties: Readonly<Record<string, SluiceProperty>>;
  /** What expressions read as `outputs.<task id>.<name>`; of a trigger, as `trigger.<name>`. */
  readonly outputs?: Readonly<Record<string, SluiceProperty>>;
  readonly examples?: readonly { readonly title: string; readonly yaml: string }[];
  /** Hosts that the code itself connects to, such as `api.example.com`. */
  readonly permissions?: { readonly net?: readonly string[] };
}

interface SluiceTask extends SluiceType {
  readonly metrics?: Readonly<
    Record<string, { readonly type: "counter" | "timer" | "gauge"; readonly description: string }>
  >;
  /** Returns the outputs; a thrown error fails the attempt. */
  run(context: SluiceContext): unknown;
}

interface SluicePollingTrigger extends SluiceType {
  readonly realtime?: never;
  /** Called once an interval. Outputs start an execution, nothing starts none; a thrown error is shown with the trigger. */
  poll(context: SluicePollContext): unknown;
}

interface SluiceRealtimeTrigger extends SluiceType {
  readonly poll?: never;
  /**
   * Runs as long as the trigger is enabled. Calls `context.emit`, or yields outputs as an async generator, which is resumed once
   * the start is durable. After an end or an error it is called again, after 1 second at first and 60 at last.
   */
  realtime(context: SluiceRealtimeContext): unknown;
}

/** Declares a task type. */
declare function defineTask(task: SluiceTask): SluiceTask;

/** Declares a trigger type. */
declare function defineTrigger(
  trigger: SluicePollingTrigger | SluiceRealtimeTrigger,
): SluicePollingTrigger | SluiceRealtimeTrigger;
