/** Mailboxes of IMAP at a server that is hostile. */
import { assertEquals, assertRejects } from "@std/assert";
import { withImap } from "../../../src/integrations/mail/imap_mailbox.ts";
import type { ReceivedMails } from "../../../src/integrations/mail/mailbox.ts";

const FOLDER = "* 4000000000 EXISTS\r\n* OK [UIDVALIDITY 1] .\r\n* OK [UIDNEXT 4000000000] .\r\n";

/** Reads the mails of a server that responds so to a search and a fetch. */
async function read(responses: Readonly<Record<string, string>>): Promise<ReceivedMails> {
  using server = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const serve = async () => {
    using connection = await server.accept();
    const writer = connection.writable.getWriter();
    const send = (text: string) => writer.write(new TextEncoder().encode(text));
    await send("* OK [CAPABILITY IMAP4rev1 ESEARCH] .\r\n");
    for await (const text of connection.readable.pipeThrough(new TextDecoderStream())) {
      for (const [, tag = "", command = ""] of text.matchAll(/^(\w+) ((?:UID )?\w+)/gm)) {
        const response = responses[command] ?? (command === "EXAMINE" ? FOLDER : "");
        await send(`${response}${tag} OK .\r\n`);
      }
    }
  };
  const served = serve().catch(() => {});
  try {
    return await withImap(
      {
        properties: { username: "u", password: "p", folder: "INBOX", ssl: false },
        signal: new AbortController().signal,
        connectAddress: (hostname, port) => Promise.resolve({ hostname, port }),
      },
      { host: "127.0.0.1", port: server.addr.port },
      (mailbox) => mailbox.read({ validity: "1", next: 1 }, 0),
    );
  } finally {
    await served;
  }
}

const LONG = `${"1 ".repeat(600_000)}1`;
const LITERAL = "* 1 FETCH (UID 1 BODY[]<0> {400000000}\r\n";
const HOSTILE:
  readonly (readonly [what: string, responses: Readonly<Record<string, string>>, message: string])[] = [
    [
      "a range in hexadecimal digits",
      { "UID SEARCH": "* ESEARCH UID ALL 0x1:0xffffff\r\n" },
      "more than 1000000 mails",
    ],
    [
      "a range of 2^24 mails",
      { "UID SEARCH": '* ESEARCH (TAG "1") UID ALL 1:16777216\r\n' },
      "more than 1000000 mails",
    ],
    [
      "ranges of 2^24 mails",
      { "UID SEARCH": `* ESEARCH UID ALL ${"2:900000,".repeat(2)}1\r\n` },
      "more than 1000000 mails",
    ],
    ["lists of mails", { "UID SEARCH": `* SEARCH ${LONG}\r\n`.repeat(2) }, "more than 1000000 mails"],
    [
      "folders that it was not asked for",
      { "LIST": `* LIST (\\Sent) "/" "${"a".repeat(1_000)}"\r\n`.repeat(9_000) },
      "lists folders with more than 8388608 characters",
    ],
    [
      "states of folders that it was not asked for",
      { "LIST": `* STATUS "${"a".repeat(1_000)}" (MESSAGES 1)\r\n`.repeat(9_000) },
      "lists folders with more than 8388608 characters",
    ],
    [
      "an endless line",
      { "UID SEARCH": `* SEARCH ${"1".repeat(8_400_000)}` },
      "exceeds maximum allowed size of 8388608",
    ],
    [
      "a literal that was not asked for",
      { "UID SEARCH": "* SEARCH 1\r\n", "UID FETCH": LITERAL },
      "exceeds maximum allowed size of 11534336",
    ],
    [
      "a list of too many values",
      { "UID SEARCH": `* X ${"a ".repeat(100_001)}\r\n` },
      "more than 100000 tokens",
    ],
  ];

for (const [what, responses, message] of HOSTILE) {
  Deno.test(`a mailbox of IMAP fails for ${what}`, async () => {
    await assertRejects(() => read(responses), Error, message);
  });
}

Deno.test("a mailbox of IMAP leaves out mails that were not asked for, and reports of mails that are gone", async () => {
  const mail = (uid: number) => `* ${uid} FETCH (UID ${uid} BODY[] {14}\r\nSubject: a\r\n\r\n)\r\n`;
  const { mails } = await read({
    "LIST": '* LIST () NIL "INBOX"\r\n',
    "UID SEARCH": "* VANISHED 1:16777216\r\n* SEARCH 1 2\r\n",
    "UID FETCH": [1, 2, 3, 4].map(mail).join(""),
  });
  assertEquals(mails.map(({ identity }) => identity), ["1/1", "1/2"]);
});
