/** Mails as expressions have them. */
import PostalMime, { type Address } from "postal-mime";
import { toIso } from "../../base/time/clock.ts";
import type { JsonObject } from "../../base/json.ts";

/** A mail that was received. */
export interface ReceivedMail {
  /** What identifies it in its mailbox. */
  readonly identity: string;
  /** In milliseconds. */
  readonly receivedAt: number;
  /** What expressions read. */
  readonly variables: JsonObject;
}

/** Ten mails must fit the outputs of a trigger, which have at most 1 MiB. */
const MAX_BODY_CHARS = 30_000;
/**
 * Lines that are read of a mail: the package makes an object of each one. An error would stop the reading of the mailbox, since
 * anyone may send such a mail.
 */
const MAX_LINES = 100_000;
const LINE_BREAK = 10;

/** Reads the source of a mail. `receivedAt`: when the server received it, where that is known; else its own date, else `now`. */
export async function receivedMail(
  source: Uint8Array,
  { identity, receivedAt, now }: {
    readonly identity: string;
    readonly receivedAt?: number;
    readonly now: number;
  },
): Promise<ReceivedMail> {
  const mail = await PostalMime.parse(firstLines(source));
  const ownDate = Date.parse(mail.date ?? "");
  const at = receivedAt ?? (Number.isNaN(ownDate) ? now : ownDate);
  return {
    identity,
    receivedAt: at,
    variables: {
      subject: mail.subject ?? "",
      from: addressesOf(mail.from ? [mail.from] : [])[0] ?? "",
      to: addressesOf(mail.to),
      cc: addressesOf(mail.cc),
      bcc: addressesOf(mail.bcc),
      date: toIso(at),
      body: (mail.text ?? mail.html ?? "").slice(0, MAX_BODY_CHARS),
      messageId: mail.messageId ?? "",
      attachments: mail.attachments.map(({ filename, mimeType, content }) => ({
        filename: filename ?? "",
        contentType: mimeType,
        size: typeof content === "string" ? content.length : content.byteLength,
      })),
    },
  };
}

function firstLines(source: Uint8Array): Uint8Array {
  let end = 0;
  for (let count = 0; count < MAX_LINES; count++) {
    const lineBreak = source.indexOf(LINE_BREAK, end);
    if (lineBreak < 0) return source;
    end = lineBreak + 1;
  }
  return source.slice(0, end);
}

/** A group of addresses has its members. */
function addressesOf(addresses: readonly Address[] = []): string[] {
  return addresses.flatMap(({ address, group }) =>
    group ? group.map((member) => member.address ?? "") : [address ?? ""]
  ).filter((address) => address !== "");
}
