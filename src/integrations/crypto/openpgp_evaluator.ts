/**
 * OpenPGP in an evaluator, which is ended with the task. What the package does never pauses, and a key or a message of some KB
 * can be made so that it takes minutes and gigabytes.
 */
import type { JsonObject } from "../../base/json.ts";
import type { MachineTaskContext } from "../../model/tasks/machine_task.ts";
import { evaluatorReady, nextMessage, textOf } from "../evaluator_messages.ts";
import { writePieces } from "../row_files.ts";
import type { OpenPgpWork } from "./openpgp_work.ts";

/** Longest time for a piece of the result. The first one needs the keys, some seconds. */
const MAX_PIECE_MS = 60_000;
/** A request for a piece. */
const NEXT = "null";

/** Encrypts or decrypts the file of a task; returns the storage URI of the result. @throws Error it cannot */
export async function storeOpenPgp(
  context: MachineTaskContext,
  operation: OpenPgpWork["operation"],
  name: string,
): Promise<string> {
  const { properties, signal } = context;
  const source = await context.fetchFile(String(properties.from).trim());
  const path = `${await context.directory()}/${name}`;
  try {
    await writePieces(path, piecesOf(context, { type: "openpgp", operation, source, properties }), signal);
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  }
  return await context.storeFile(path);
}

async function* piecesOf(context: MachineTaskContext, work: OpenPgpWork): AsyncGenerator<Uint8Array> {
  const operation = `${work.operation} the file`;
  await using evaluator = await context.startEvaluator(work as unknown as JsonObject, operation);
  await evaluatorReady(evaluator, operation);
  // It makes the next piece while this one is written.
  evaluator.send([NEXT, NEXT]);
  for (;;) {
    const message = await nextMessage(evaluator, operation, MAX_PIECE_MS);
    if (message.type !== "value") throw new Error(textOf(message));
    const piece: string = JSON.parse(message.json);
    if (piece === "") return;
    evaluator.send([NEXT]);
    yield Uint8Array.fromBase64(piece);
  }
}
