/** Mailboxes: what was received after a position. */
import type { JsonObject } from "../../base/json.ts";
import type { WorkContext } from "../../model/tasks/task_definition.ts";
import type { ReceivedMail } from "./received_mail.ts";

/** What reads a mailbox: a poll, or a trigger that holds a connection. */
export type MailReader = Pick<WorkContext, "properties" | "signal" | "connectAddress">;

/** Most mails that are read at once; the rest is read the next time. They must fit the outputs of a trigger. */
export const MAX_MAILS = 10;
/** Bytes that are read of a mail. */
export const MAX_MAIL_BYTES = 10 * 1024 * 1024;

/** Mails after a position, in the order in which the server received them. */
export interface ReceivedMails {
  readonly mails: readonly ReceivedMail[];
  /** Plain data: where the next reading begins. */
  readonly position: JsonObject;
}

/** An open mailbox, which is read only. */
export interface Mailbox {
  /** At most 10 mails after the position. Without a position those that were received after `since`, an instant in milliseconds. */
  read(position: JsonObject | undefined, since: number): Promise<ReceivedMails>;
  /** Resolves when there may be new mails. @throws Error the connection ended */
  waitForMails(): Promise<void>;
}
