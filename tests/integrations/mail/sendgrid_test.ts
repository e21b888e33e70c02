/** Attachments of mails by SendGrid. */
import { assertRejects } from "@std/assert";
import { sendGridMailSend } from "../../../src/integrations/mail/sendgrid.ts";
import { runDefinition } from "../../support/flows/definition_run.ts";

Deno.test("SendGridMailSend refuses attachments with more than 30 MiB together", async () => {
  const uri = "kestra:///demo/a.bin", half = 16 * 1024 * 1024;
  const mail = { sendgridApiKey: "k", from: "a@example.com", to: "b@example.com", textContent: "a" };
  const attachments = [{ name: "a", uri }, { name: "b", uri }];
  await assertRejects(
    () =>
      runDefinition(sendGridMailSend, { ...mail, attachments }, { files: { [uri]: new Uint8Array(half) } }),
    Error,
    `Cannot read "${uri}": it has 16777216 bytes, and at most 14680064 are allowed`,
  );
});
