/** How a webhook uses the body of a call, and reasons for refused calls that repeat nothing of what was sent. */
import { ownProperty } from "../../base/json.ts";
import { DomainError } from "../../model/errors.ts";
import type { Trigger } from "../../model/flows/flow.ts";

/** `FETCH`: the body becomes `trigger.body`. `STORE`: it becomes a file with the URI `trigger.uri`. `NONE`: it is read and dropped. */
export type BodyUse = "FETCH" | "STORE" | "NONE";

/** How a webhook uses bodies. Files of a form are stored in any case. */
export function bodyUseOf({ properties }: Trigger): BodyUse {
  const given = String(ownProperty(properties, "fetchType") ?? "FETCH");
  return given === "STORE" || given === "NONE" ? given : "FETCH";
}

const INVALID_INPUT = /Invalid input for `([\w.-]{1,100})`/;

/** Why a call was refused, for the evaluations of the trigger: nothing that the caller sent, and no secret. */
export function refusedCall(what: string, error: Error): string {
  const input = INVALID_INPUT.exec(error.message)?.[1];
  if (input !== undefined) return `Its input "${input}" is invalid; the caller was told why`;
  if (error instanceof DomainError && error.code === "too_large") return "The body is too large";
  if (error instanceof DomainError && error.code === "forbidden") return "It is not signed as it must be";
  const isCallersFault = error instanceof DomainError && error.code !== "storage_full" &&
    error.code !== "unavailable";
  return isCallersFault
    ? `Its ${what} cannot be read; the caller was told why`
    : `Its ${what} cannot be read`;
}
