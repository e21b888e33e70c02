/** The types that send mails, against a server of SMTP. */
import { assertEquals, assertMatch } from "@std/assert";
import { Harness } from "../../support/harness.ts";
import { MAIL_PASSWORD, MAIL_USER, withMailServer } from "../../support/servers/mail_server.ts";
import { runTasks } from "../../support/flows/run_flow.ts";

const TYPE = "io.kestra.plugin.notifications.mail";
const TO = 'from: "Flows <flows@example.com>", to: ["a@example.com", "b@example.com"], bcc: zoe@example.com';
const LOGIN = `username: ${MAIL_USER}, password: ${MAIL_PASSWORD}`;

Deno.test("MailSend sends both contents and attached files, by TLS from the beginning", async () => {
  await withMailServer({ isSecure: true }, async (port, mails) => {
    await using app = await Harness.start();
    const { state, errors } = await runTasks(
      app,
      `- {id: file, type: io.kestra.plugin.core.storage.Write, content: "1,2", extension: .csv}
- {id: send, type: ${TYPE}.MailSend, host: localhost, port: ${port}, ${LOGIN}, trustedHosts: [localhost], ${TO}, subject: "Größe",
   htmlTextContent: "<b>x</b>", plainTextContent: x, attachments: [{name: a.csv, uri: "{{ outputs.file.uri }}"}],
   embeddedImages: [{name: i.png, uri: "{{ outputs.file.uri }}", contentType: image/png}]}
`,
    );
    assertEquals([state, errors], ["SUCCESS", []]);
    const [mail] = mails;
    assertEquals([mail?.recipients, mail?.isSecure, mail?.user, mails.length], [
      ["a@example.com", "b@example.com", "zoe@example.com"],
      true,
      MAIL_USER,
      1,
    ]);
    const text = mail?.text ?? "";
    assertMatch(text, /^From: Flows <flows@example\.com>\r\n/m);
    assertMatch(text, /^Subject: =\?UTF-8\?/m);
    assertMatch(text, /^Content-Type: text\/csv; name=a\.csv\r\n[^]*MSwy/m);
    assertMatch(text, /^Content-ID: <i\.png>/m);
    assertEquals(/zoe@/.test(text), false);
  });
});

Deno.test("MailSend sends by TLS to a server that is named by its address", async () => {
  await withMailServer({ isSecure: true }, async (port, mails) => {
    await using app = await Harness.start();
    const { state, errors } = await runTasks(
      app,
      `- {id: send, type: ${TYPE}.MailSend, host: 127.0.0.1, port: ${port}, ${LOGIN}, trustedHosts: [127.0.0.1], ${TO}, subject: x, plainTextContent: x}`,
    );
    assertEquals([state, errors, mails.length], ["SUCCESS", [], 1]);
  });
});

Deno.test("MailExecution sends the facts of the execution, after STARTTLS", async () => {
  await withMailServer({ isSecure: false }, async (port, mails) => {
    await using app = await Harness.start();
    const { state, errors } = await runTasks(
      app,
      `- {id: send, type: ${TYPE}.MailExecution, host: localhost, port: ${port}, transportStrategy: SMTP_TLS,
   verifyServerIdentity: false, ${LOGIN}, from: a@example.com, to: "b@example.com; c@example.com", customMessage: look}
`,
    );
    assertEquals([state, errors], ["SUCCESS", []]);
    const [mail] = mails;
    assertEquals([mail?.recipients, mail?.isSecure], [["b@example.com", "c@example.com"], true]);
    assertMatch(mail?.text ?? "", /^Subject: demo\.run: RUNNING\r\n/m);
    assertMatch(mail?.text ?? "", /\r\nlook\r\nNamespace: demo\r\n/);
  });
});

/** Properties of a mail, and the error. */
const FAILURES: readonly (readonly [properties: string, error: RegExp])[] = [
  [
    `username: u, password: hidden2, transportStrategy: SMTP, ${TO}, plainTextContent: a`,
    /^Cannot send a mail by "localhost": Invalid login: 535/,
  ],
  [
    `transportStrategy: SMTP, from: a@example.com, to: unknown@example.com, plainTextContent: a`,
    /^Cannot send a mail by "localhost": .*Unknown mailbox/,
  ],
  [
    `transportStrategy: SMTP_TLS, ${TO}, plainTextContent: a`,
    /^Cannot send a mail by "localhost": .*(certificate|[Cc]ert)/,
  ],
  [`transportStrategy: SMTP, ${TO}`, /^Nothing to send: give htmlTextContent or plainTextContent$/],
  [
    `transportStrategy: SMTP, from: a@example.com, to: "a\\r\\nb", plainTextContent: a`,
    /^Invalid mail address "a\\r\\nb"$/,
  ],
];

for (const [properties, error] of FAILURES) {
  Deno.test(`MailSend fails with host and words of the server: ${properties}`, async () => {
    await withMailServer({ isSecure: false }, async (port, mails) => {
      await using app = await Harness.start();
      const task = `- {id: t, type: ${TYPE}.MailSend, host: localhost, port: ${port}, ${properties}}\n`;
      const { state, errors } = await runTasks(app, task);
      assertEquals([state, mails.length], ["FAILED", 0]);
      assertMatch(errors[0] ?? "", error);
      assertEquals(errors.join().includes("hidden"), false);
    });
  });
}
