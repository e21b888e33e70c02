/** What a webhook does with the body of a call, and how a refused call is told of without repeating what was sent. */
import { ownProperty } from "../../base/json.ts";
import { DomainError } from "../../model/errors.ts";
import type { Trigger } from "../../model/flows/flow.ts";

/** `FETCH`: it becomes `trigger.body`. `STORE`: a file, whose address is `trigger.uri`. `NONE`: it is read and dropped. */
export type BodyUse = "FETCH" | "STORE" | "NONE";

/** What a webhook does with bodies. The files of a form are stored in any case. */
export function bodyUseOf({ properties }: Trigger): BodyUse {
  const given = String(ownProperty(properties, "fetchType") ?? "FETCH");
  return given === "STORE" || given === "NONE" ? given : "FETCH";
}

const INVALID_INPUT = /Invalid input for `([\w.-]{1,100})`/;

/** Why a call was refused. The caller was told more; here is nothing that he sent, and no secret. */
export function refusedCall(what: string, error: Error): string {
  const input = INVALID_INPUT.exec(error.message)?.[1];
  if (input !== undefined) return `Its input "${input}" is invalid; the caller was told why`;
  if (error instanceof DomainError && error.code === "too_large") return "The body is too large";
  if (error instanceof DomainError && error.code === "forbidden") return "It is not signed as it must be";
  const isTold = error instanceof DomainError && error.code !== "storage_full" &&
    error.code !== "unavailable";
  return isTold ? `Its ${what} cannot be read; the caller was told why` : `Its ${what} cannot be read`;
}
