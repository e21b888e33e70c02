/** Messages of queues and subscriptions that are read until a limit, stored as a file, and then confirmed. */
import { systemClock } from "../base/time/clock.ts";
import { readDuration } from "../base/time/duration.ts";
import { type JsonObject, type JsonValue, tryParseJson } from "../base/json.ts";
import { dynamicChoice, dynamicProperty, type PropertySchemas } from "../model/flows/schema.ts";
import { limitedContent } from "../model/ports/storage.ts";
import type { WorkContext } from "../model/tasks/task_definition.ts";
import type {
  RealtimeContext,
  TriggerContext,
  TriggerMessage,
} from "../model/triggers/trigger_definition.ts";
import { pause } from "./http_calls.ts";
import { rowLines, writePieces } from "./row_files.ts";

/** A message that was received. */
interface ReceivedMessage {
  readonly row: JsonValue;
  /** What confirms it. */
  readonly handle: string;
}

/** Where messages come from. */
export interface MessageSource {
  /** What there is now, at most that many; none if there is nothing. */
  readonly receive: (maxCount: number) => Promise<readonly ReceivedMessage[]>;
  /** Confirms messages, so that they are not received again. */
  readonly confirm: (handles: readonly string[]) => Promise<void>;
}

/** Property: the form of messages. */
export const SERDE_TYPE = dynamicChoice(
  ["STRING", "JSON"],
  "STRING",
  "Whether messages are texts or JSON; a received message that is no JSON is given as text then.",
);

/** Properties that end the reading. */
export const LIMITS: PropertySchemas = Object.freeze({
  maxRecords: dynamicProperty(
    "integer",
    "Most messages. Without maxDuration reading ends when there are no more, too.",
    {
      minimum: 1,
      maximum: 100_000,
    },
  ),
  maxDuration: dynamicProperty("duration", "Longest time of the reading."),
});

/** Outputs of the types that read. */
export const CONSUMED: PropertySchemas = Object.freeze({
  uri: { type: "string", description: "Storage URI of the messages as Ion." },
  count: { type: "integer", description: "Number of messages." },
});

type ConsumingContext = Pick<
  WorkContext,
  "properties" | "directory" | "storeFile" | "signal" | "maxFileBytes"
>;

const MAX_RECORDS = 100_000;
const PAUSE_MS = 500;

/**
 * Reads and stores messages, then confirms them: a failure loses none, but messages that were not confirmed in time are
 * received again. @throws Error no limit is given
 */
export async function consumeMessages(
  context: ConsumingContext,
  source: MessageSource,
): Promise<{ readonly uri: string; readonly count: number }> {
  const { uri, handles } = await storedMessages(context, source);
  if (handles.length > 0) await source.confirm(handles);
  return { uri, count: handles.length };
}

async function storedMessages(
  context: ConsumingContext,
  source: MessageSource,
): Promise<{ readonly uri: string; readonly handles: readonly string[] }> {
  const { maxRecords, maxDuration } = context.properties;
  if (maxRecords === undefined && maxDuration === undefined) {
    throw new Error("Missing maxRecords or maxDuration: one of them must end the reading");
  }
  const handles: string[] = [];
  const rows = async function* () {
    for await (const { row, handle } of received(context, source)) {
      handles.push(handle);
      yield row;
    }
  };
  const path = `${await context.directory()}/messages.ion`;
  await writePieces(path, limitedContent(rowLines(rows()), context.maxFileBytes), context.signal);
  return { uri: await context.storeFile(path), handles };
}

async function* received(
  { properties, signal }: Pick<WorkContext, "properties" | "signal">,
  source: MessageSource,
): AsyncGenerator<ReceivedMessage> {
  const maxCount = Number(properties.maxRecords ?? MAX_RECORDS);
  const duration = readDuration(properties.maxDuration);
  const endsAt = duration === undefined ? undefined : systemClock.now() + duration;
  let count = 0;
  for (;;) {
    const messages = await source.receive(maxCount - count);
    yield* messages;
    count += messages.length;
    const isOver = count >= maxCount ||
      (endsAt === undefined ? messages.length === 0 : systemClock.now() >= endsAt);
    if (isOver) return;
    if (messages.length === 0) await pause(PAUSE_MS, signal);
  }
}

/** The value of a text, or the text itself if it is no JSON: such a message must not be received for ever. */
export function messageValueOrText(text: string, serdeType: JsonValue | undefined): JsonValue {
  const value = serdeType === "JSON" ? tryParseJson(text) : undefined;
  return value === undefined ? text : value;
}

/** Where the messages of a realtime trigger come from. */
interface RealtimeSource {
  /** What there is now; waits a while if there is nothing. */
  readonly receive: () => Promise<readonly (TriggerMessage & { readonly handle: string })[]>;
  readonly confirm: MessageSource["confirm"];
}

/**
 * Starts an execution for each message until the signal is aborted, and confirms the messages whose starts are durable, also if
 * a later one fails.
 */
export async function emitMessages(
  context: Pick<RealtimeContext, "signal" | "connected" | "emit">,
  { receive, confirm }: RealtimeSource,
): Promise<void> {
  const { signal } = context;
  while (!signal.aborted) {
    const messages = await receive();
    context.connected();
    const handles: string[] = [];
    try {
      for (const { handle, variables, identity } of messages) {
        await context.emit(variables, { identity });
        handles.push(handle);
      }
    } finally {
      if (handles.length > 0) await confirm(handles);
    }
    // Some servers do not wait for messages.
    if (messages.length === 0) await pause(PAUSE_MS, signal);
  }
}

/** The messages of a trigger, which are confirmed when its execution is durable; `undefined` if there are none. */
export async function polledMessages(
  context: ConsumingContext & Pick<TriggerContext, "whenDurable">,
  source: MessageSource,
): Promise<JsonObject | undefined> {
  const { uri, handles } = await storedMessages(context, source);
  if (handles.length === 0) return undefined;
  context.whenDurable(() => source.confirm(handles));
  return { uri, count: handles.length };
}
