/** Messages between the thread of the server and the thread of long evaluations. Values are JSON text, which keeps number kinds. */
import type { ExpressionErrorCode } from "../../expr/mod.ts";
import type { SlowRender } from "../../rendering/host_functions/mod.ts";

/** A value that an evaluation lacked; JSON text, absent for a variable that does not exist. */
export type Supply =
  | { readonly type: "variable"; readonly name: string; readonly isAuthored: boolean; readonly json?: string }
  | { readonly type: "call"; readonly key: string; readonly json: string }
  | { readonly type: "refused call"; readonly key: string } & Failure;

/** To the evaluating thread. */
export type ToWorker =
  | { readonly type: "render"; readonly render: SlowRender; readonly supplies: readonly Supply[] }
  | Supply;

interface Failure {
  readonly code: ExpressionErrorCode;
  readonly message: string;
}

/** From the evaluating thread. */
export type FromWorker =
  | { readonly type: "lacks variable"; readonly name: string; readonly isAuthored: boolean }
  | { readonly type: "lacks call"; readonly key: string; readonly name: string; readonly args: string }
  | { readonly type: "text"; readonly text: string; readonly usedMs: number }
  | { readonly type: "value"; readonly json: string; readonly usedMs: number }
  | { readonly type: "only here" }
  | { readonly type: "failed" } & Failure;
