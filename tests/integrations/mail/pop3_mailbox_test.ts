/** Mailboxes of POP3 at a server that is hostile. */
import { assertEquals, assertRejects } from "@std/assert";
import { withPop3 } from "../../../src/integrations/mail/pop3_mailbox.ts";

/** The number of mails that are read of a server that lists so many. */
async function readCount(listed: number): Promise<number> {
  using server = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const serve = async () => {
    using connection = await server.accept();
    const writer = connection.writable.getWriter();
    const send = (text: string) => writer.write(new TextEncoder().encode(text));
    await send("+OK\r\n");
    for await (const text of connection.readable.pipeThrough(new TextDecoderStream())) {
      if (text.startsWith("UIDL")) await send(`+OK\r\n${"1 a\r\n".repeat(listed)}.\r\n`);
      else if (text.startsWith("RETR")) await send("+OK\r\nSubject: a\r\n\r\n.\r\n");
      else await send("+OK\r\n");
    }
  };
  const served = serve().catch(() => {});
  try {
    return await withPop3(
      {
        properties: { username: "u", password: "p", ssl: false },
        signal: new AbortController().signal,
        connectAddress: (hostname, port) => Promise.resolve({ hostname, port }),
      },
      { host: "127.0.0.1", port: server.addr.port },
      async (mailbox) => (await mailbox.read({ known: [] }, 0)).mails.length,
    );
  } finally {
    await served;
  }
}

Deno.test("a mailbox of POP3 lists at most 200,000 mails", async () => {
  assertEquals(await readCount(200_000), 10);
  await assertRejects(() => readCount(200_001), Error, "The mailbox has more than 200000 mails");
});
