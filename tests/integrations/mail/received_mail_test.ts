/** Mails as expressions have them. */
import { assertEquals } from "@std/assert";
import { receivedMail } from "../../../src/integrations/mail/received_mail.ts";

Deno.test("receivedMail() reads the first 100,000 lines of a mail", async () => {
  const head = [
    "From: ann@example.com",
    "Content-Type: multipart/mixed; boundary=b",
    "",
    "--b",
    "Content-Type: text/plain",
    "",
    "Hello",
    "--b",
    "Content-Type: application/octet-stream; name=empty",
    "Content-Disposition: attachment",
    "",
  ];
  const source = new TextEncoder().encode(head.map((line) => `${line}\n`).join("") + "\n".repeat(150_000));
  const { variables } = await receivedMail(source, { identity: "1", now: 0 });
  assertEquals([variables.from, variables.body], ["ann@example.com", "Hello\n"]);
  const attachment = { filename: "empty", contentType: "application/octet-stream", size: 99_989 };
  assertEquals(variables.attachments, [attachment]);
});
