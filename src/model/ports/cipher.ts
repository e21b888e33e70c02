/** Encrypts what a task or trigger does not want to be kept in clear. */
import type { JsonObject } from "../../base/json.ts";
import type { AttemptIdentity } from "../executions/attempt_identity.ts";

/** Encrypts with the key of the server, for one flow each. */
export interface CipherPort {
  /** What stands for the text in outputs and variables: `{type, value}`. */
  seal(owner: Pick<AttemptIdentity, "tenant" | "namespace" | "flowId">, text: string): JsonObject;
}
