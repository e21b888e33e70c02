/** The triggers that read mailboxes, against dovecot. */
import { assertEquals, assertMatch, assertRejects } from "@std/assert";
import type { JsonObject } from "../../../src/base/json.ts";
import {
  mailRealtimeTrigger,
  mailReceivedTrigger,
} from "../../../src/integrations/mail/received_triggers.ts";
import { pollDefinition } from "../../support/flows/definition_run.ts";
import { Listening } from "../../support/flows/listen_definition.ts";
import {
  HAS_DOVECOT,
  MAILBOX_PASSWORD,
  type MailboxServer,
  withMailboxServer,
} from "../../support/servers/mailbox_server.ts";

// Where dovecot is missing (packages dovecot-imapd and dovecot-pop3d), the tests are reported as ignored.
const ignore = !HAS_DOVECOT;

function mail(subject: string, body = "hello", further = ""): string {
  return `From: Ann <ann@example.com>
To: flows@example.com, Group: b@example.com, c@example.com;
Cc: cc@example.com
Subject: ${subject}
Date: ${new Date().toUTCString()}
Message-ID: <1@example.com>
${further}
${body}
`;
}

/** Made when it is delivered: for POP3 its date counts, and a first poll takes what is a minute old at most. */
const mixed = () =>
  mail(
    "=?utf-8?q?Gr=C3=B6=C3=9Fe?=",
    `--x
Content-Type: multipart/alternative; boundary=y

--y
Content-Type: text/html; charset=utf-8

<b>hi</b>
--y
Content-Type: text/plain; charset=utf-8

.dots
..and more
--y--
--x
Content-Type: text/csv
Content-Disposition: attachment; filename=a.csv
Content-Transfer-Encoding: base64

MSwy
--x--`,
    "MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=x\n",
  );

const MIXED_VARIABLES = {
  subject: "Größe",
  from: "ann@example.com",
  to: ["flows@example.com", "b@example.com", "c@example.com"],
  cc: ["cc@example.com"],
  bcc: [],
  body: ".dots\n..and more\n",
  messageId: "<1@example.com>",
  attachments: [{ filename: "a.csv", contentType: "text/csv", size: 3 }],
};

/** The protocols: properties of the trigger. */
const PROTOCOLS: Readonly<Record<string, (server: MailboxServer) => JsonObject>> = {
  "IMAP": ({ imapPort }) => ({ port: imapPort, ssl: false }),
  "IMAP by TLS": ({ imapsPort }) => ({ port: imapsPort, trustAllCertificates: true }),
  "POP3": ({ pop3Port }) => ({ protocol: "POP3", port: pop3Port, ssl: false }),
};

const LOGIN = { host: "localhost", username: "flows", password: MAILBOX_PASSWORD };

function subjects({ emails }: JsonObject): unknown[] {
  return (emails as JsonObject[]).map(({ subject }) => subject);
}

Deno.test({
  name: "MailReceivedTrigger takes each mail once, at most ten at a time, with each protocol",
  ignore,
  async fn() {
    await withMailboxServer(async (server) => {
      await server.deliver("1", mixed());
      const readers = Object.values(PROTOCOLS).map((place) => ({ ...LOGIN, ...place(server) }));
      const states = [];
      for (const given of readers) {
        const { outputs, state } = await pollDefinition(mailReceivedTrigger, given);
        const { date, ...latest } = outputs.latestEmail as JsonObject;
        assertMatch(String(date), /^20\d\d-.*Z$/);
        assertEquals([latest, outputs.total], [MIXED_VARIABLES, 1]);
        const empty = await pollDefinition(mailReceivedTrigger, given, state);
        assertEquals(empty.isFound, false);
        states.push(empty.state);
      }
      for (let n = 10; n < 22; n++) await server.deliver(String(n), mail(`s${n}`));
      for (const [index, given] of readers.entries()) {
        const ten = await pollDefinition(mailReceivedTrigger, given, states[index]);
        assertEquals(ten.outputs.total, 10);
        const rest = await pollDefinition(mailReceivedTrigger, given, ten.state);
        const expected = Array.from({ length: 12 }, (_, n) => `s${n + 10}`);
        assertEquals([...subjects(ten.outputs), ...subjects(rest.outputs)].sort(), expected);
        assertEquals((await pollDefinition(mailReceivedTrigger, given, rest.state)).isFound, false);
      }
    });
  },
});

Deno.test({
  name: "RealTimeTrigger starts for each mail that arrives while it listens, with each protocol",
  ignore,
  async fn() {
    await withMailboxServer(async (server) => {
      // The date of the mail is that of POP3, which has no other.
      await server.deliver(
        "0",
        mail("before").replace(/^Date: .*$/m, "Date: Thu, 1 Jan 2026 00:00:00 +0000"),
      );
      for (const [index, place] of Object.values(PROTOCOLS).entries()) {
        const two = Promise.withResolvers<void>();
        const seen: string[] = [];
        const taken = ({ variables }: { readonly variables: JsonObject }) => {
          if (seen.push(String(variables.subject)) === 2) two.resolve();
        };
        const given = { ...LOGIN, ...place(server), interval: "PT0.05S" };
        await using listening = new Listening(mailRealtimeTrigger, given, taken);
        await Promise.race([listening.connected, listening.ended]);
        const subjects = [`a${index}`, `b${index}`];
        for (const subject of subjects) await server.deliver(subject, mail(subject));
        await Promise.race([two.promise, listening.ended]);
        assertEquals(seen.sort(), subjects);
        assertEquals(new Set(listening.messages.map(({ identity }) => identity)).size, 2);
      }
    });
  },
});

/** Properties that are wrong, and the error. */
const FAILURES: readonly (readonly [protocol: string, JsonObject, RegExp])[] = [
  ["IMAP by TLS", { trustAllCertificates: false }, /^Cannot read mails at "localhost:\d+": .*certificate/i],
  ["IMAP", { password: "wrong" }, /^Cannot read mails at "localhost:\d+": .*Authentication failed/i],
  ["IMAP", { folder: "Nothing" }, /^Cannot read mails at "localhost:\d+": .*Mailbox doesn't exist: Nothing/],
  ["POP3", { password: "wrong" }, /^Cannot read mails at "localhost:\d+": .*Authentication failed/i],
];

Deno.test({
  name: "the triggers report the server and its words, never the password",
  ignore,
  async fn() {
    await withMailboxServer(async (server) => {
      for (const [protocol, wrong, expected] of FAILURES) {
        const given = { ...LOGIN, ...PROTOCOLS[protocol]?.(server), ...wrong };
        const { message } = await assertRejects(() => pollDefinition(mailReceivedTrigger, given), Error);
        assertMatch(message, expected);
      }
    });
  },
});

Deno.test("the triggers report a server that cannot be reached", async () => {
  const given = { ...LOGIN, port: 1, ssl: false };
  const { message } = await assertRejects(() => pollDefinition(mailReceivedTrigger, given), Error);
  assertMatch(message, /^Cannot read mails at "localhost:1": /);
});
