/** Messages between the thread of the server and the one that evaluates JSONata. Values are JSON text. */

/** What a thread is started with. */
export interface ThreadOptions {
  readonly expression: string;
  readonly limits: {
    /** Milliseconds of one evaluation. */
    readonly timeout: number;
    /** Nested calls. */
    readonly stack: number;
    /** Items of a list. */
    readonly sequence: number;
  };
}

/** Inputs, in order. */
export type ToThread = readonly string[];

/** `ready` or `malformed` first, then one message an input, in order. */
export type FromThread =
  | { readonly type: "ready" }
  | { readonly type: "malformed" | "failed"; readonly message: string }
  | { readonly type: "value"; readonly json: string };
