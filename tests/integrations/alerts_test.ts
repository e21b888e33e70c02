/** The types that report to services for messages, incidents and mails: what they send, and what they say when it is refused. */
import { assertEquals, assertMatch } from "@std/assert";
import type { JsonObject } from "../../src/base/json.ts";
import { answer } from "../support/servers/misbehaving_server.ts";
import { send } from "../support/flows/sent_message.ts";

const PREFIX = "type: io.kestra.plugin.notifications";
const FACTS = { Namespace: "demo", Flow: "h", State: "RUNNING" };

/** A task, the request line and headers that it sends, and members of its body. */
const BODIES: readonly (readonly [task: string, head: RegExp, body: JsonObject])[] = [
  [
    `${PREFIX}.telegram.TelegramSend, endpointOverride: "http://HOST/", token: T1, channel: "42", payload: hi`,
    /^POST \/botT1\/sendMessage /,
    { chat_id: "42", text: "hi" },
  ],
  [
    `${PREFIX}.telegram.TelegramExecution, endpointOverride: "http://HOST", token: T1, channel: "@ops", payload: {text: look}`,
    /^POST \/botT1\/sendMessage /,
    { chat_id: "@ops", text: "look" },
  ],
  [`${PREFIX}.zulip.ZulipIncomingWebhook, url: "URL", payload: {text: hi}`, /^POST \/services/, {
    text: "hi",
  }],
  [
    `${PREFIX}.zulip.ZulipExecution, url: "URL", channel: ops`,
    /^POST \/services/,
    { text: "demo.h: RUNNING", channel: "ops" },
  ],
  [
    `${PREFIX}.whatsapp.WhatsAppExecution, url: "URL", profileName: P, from: "1", whatsAppIds: ["2", "3"], textBody: hi, messageId: m`,
    /^POST \/services/,
    {
      contacts: [{ profile: { name: "P" }, wa_id: "2" }, { profile: { name: "P" }, wa_id: "3" }],
      messages: [{ from: "1", id: "m", type: "text", text: { body: "hi" } }],
    },
  ],
  [`${PREFIX}.whatsapp.WhatsAppIncomingWebhook, url: "URL", payload: {a: 1}`, /^POST \/services/, { a: 1 }],
  [
    `${PREFIX}.line.LineExecution, url: "URL", channelAccessToken: T1, recipientIds: [u1, u2], payload: {messages: []}`,
    /\r\nauthorization: Bearer T1\r\n/i,
    { to: ["u1", "u2"], messages: [] },
  ],
  [
    `${PREFIX}.messenger.MessengerExecution, url: "URL", pageId: p, accessToken: T1, recipientIds: [u1], payload: {message: {text: hi}}`,
    /\r\nauthorization: Bearer T1\r\n/i,
    { recipient: { id: "u1" }, messaging_type: "UPDATE", message: { text: "hi" } },
  ],
  [
    `${PREFIX}.x.XExecution, url: "URL", bearerToken: T1, payload: {text: hi}`,
    /\r\nauthorization: Bearer T1\r\n/i,
    { text: "hi" },
  ],
  [
    `${PREFIX}.x.XExecution, url: "URL", consumerKey: K1, consumerSecret: S1, accessToken: T1, accessSecret: S2, payload: {text: hi}`,
    /\r\nauthorization: OAuth oauth_consumer_key="K1", oauth_nonce="[0-9a-f]{32}", oauth_signature_method="HMAC-SHA1", oauth_timestamp="\d+", oauth_token="T1", oauth_version="1\.0", oauth_signature="[\w%]+"\r\n/i,
    { text: "hi" },
  ],
  [
    `${PREFIX}.pagerduty.PagerDutyAlert, url: "URL", payload: {routing_key: k}`,
    /^POST \/services/,
    { routing_key: "k" },
  ],
  [
    `${PREFIX}.pagerduty.PagerDutyExecution, url: "URL", routingKey: k, deduplicationKey: d, eventAction: resolve, payloadSummary: s`,
    /^POST \/services/,
    { routing_key: "k", dedup_key: "d", event_action: "resolve" },
  ],
  [
    `${PREFIX}.opsgenie.OpsgenieAlert, url: "URL", authorizationToken: T1, payload: {message: hi}`,
    /\r\nauthorization: GenieKey T1\r\n/i,
    { message: "hi" },
  ],
  [
    `${PREFIX}.opsgenie.OpsgenieExecution, url: "URL", authorizationToken: T1, message: m, alias: a, priority: P1, tags: [t], ` +
    "responders: {4513b7ea: team}, visibleTo: {r: user}",
    /\r\nauthorization: GenieKey T1\r\n/i,
    {
      message: "m",
      alias: "a",
      priority: "P1",
      tags: ["t"],
      responders: [{ id: "4513b7ea", type: "team" }],
      visibleTo: [{ id: "r", type: "user" }],
    },
  ],
  [`${PREFIX}.zenduty.ZendutyAlert, url: "URL", payload: {message: hi}`, /^POST \/services/, {
    message: "hi",
  }],
  [
    `${PREFIX}.zenduty.ZendutyExecution, url: "URL", message: m, alertType: critical, entityId: e, summary: s`,
    /^POST \/services/,
    { message: "m", alert_type: "critical", entity_id: "e", summary: "s" },
  ],
  [
    `${PREFIX}.squadcast.SquadcastIncomingWebhook, url: "URL", payload: {message: hi}`,
    /^POST \/services/,
    { message: "hi" },
  ],
  [
    `${PREFIX}.squadcast.SquadcastExecution, url: "URL", message: m, priority: P1, eventId: e, status: trigger, tags: {a: b}`,
    /^POST \/services/,
    { message: "m", priority: "P1", event_id: "e", status: "trigger", tags: { a: "b" } },
  ],
  [
    `${PREFIX}.sentry.SentryAlert, dsn: "http://K1@HOST/7", endpointType: STORE, payload: {event_id: e, message: m}`,
    /^POST \/api\/7\/store\/ .*\r\nx-sentry-auth: Sentry sentry_version=7, sentry_client=sluice\/1\.0, sentry_key=K1\r\n/is,
    { event_id: "e", message: "m" },
  ],
  [
    `${PREFIX}.sendgrid.SendGridMailSend, url: "URL", sendgridApiKey: T1, from: "Flows <a@example.com>", ` +
    'to: ["b@example.com", "c@example.com"], cc: "d@example.com, e@example.com", subject: s, htmlContent: "<b>", textContent: t',
    /\r\nauthorization: Bearer T1\r\n/i,
    {
      personalizations: [{
        to: [{ email: "b@example.com" }, { email: "c@example.com" }],
        cc: [{ email: "d@example.com" }, { email: "e@example.com" }],
      }],
      from: { email: "a@example.com", name: "Flows" },
      subject: "s",
      content: [{ type: "text/plain", value: "t" }, { type: "text/html", value: "<b>" }],
    },
  ],
];

for (const [task, expectedHead, expected] of BODIES) {
  Deno.test(`a report is posted: ${task}`, async () => {
    const { execution, head, body, errors } = await send(task);
    assertEquals([execution.state.current, errors], ["SUCCESS", []]);
    assertMatch(head, expectedHead);
    assertEquals(
      Object.fromEntries(Object.keys(expected).map((name) => [name, body[name] ?? null])),
      expected,
    );
  });
}

Deno.test("PagerDutyExecution sends the facts of the execution and a link to it", async () => {
  const { execution, body } = await send(
    `${PREFIX}.pagerduty.PagerDutyExecution, url: "URL", routingKey: k, customFields: {Team: a}`,
  );
  const { custom_details: details, ...payload } = body.payload as JsonObject;
  assertEquals(payload, { summary: "demo.h: RUNNING", source: "demo.h", severity: "info" });
  const { Duration: _duration, ...facts } = details as JsonObject;
  assertEquals(facts, { ...FACTS, Execution: execution.id, Team: "a" });
  assertMatch(JSON.stringify(body.links), new RegExp(`/executions/demo/h/${execution.id}"`));
});

Deno.test("SentryExecution sends an envelope whose event has an id of the attempt", async () => {
  const { text, head } = await send(
    `${PREFIX}.sentry.SentryExecution, dsn: "http://K1@HOST/path/7", level: FATAL, customMessage: look`,
  );
  assertMatch(head, /^POST \/path\/api\/7\/envelope\/ /);
  const [header = "", item = "", event = ""] = text.split("\n");
  const { event_id: id, level, platform, message } = JSON.parse(event);
  assertEquals([JSON.parse(header), JSON.parse(item)], [{ event_id: id }, {
    type: "event",
    length: new TextEncoder().encode(event).length,
  }]);
  assertEquals([level, platform, message], ["fatal", "other", { formatted: "demo.h: RUNNING\nlook" }]);
  assertMatch(id, /^[0-9a-f]{32}$/);
});

Deno.test("Twilio gets forms, with the credentials of the account", async () => {
  const account = 'accountSID: AC1, authToken: "T1"';
  const alert = await send(
    `${PREFIX}.twilio.TwilioAlert, url: "URL", ${account}, payload: {identity: "1", Body: hi}`,
  );
  assertMatch(alert.head, new RegExp(`\\r\\nauthorization: Basic ${btoa("AC1:T1")}\\r\\n`, "i"));
  assertMatch(alert.head, /\r\ncontent-type: application\/x-www-form-urlencoded\r\n/i);
  assertEquals(alert.text, "Identity=1&Body=hi");
  const report = await send(
    `${PREFIX}.twilio.TwilioExecution, url: "URL", ${account}, identity: "1", tag: t, body: b`,
  );
  assertEquals(report.text, "Body=b&Identity=1&Tag=t");
});

Deno.test("SendGridMailExecution sends the facts as text and as HTML", async () => {
  const { execution, body } = await send(
    `${PREFIX}.sendgrid.SendGridMailExecution, url: "URL", sendgridApiKey: T1, from: a@example.com, to: b@example.com, ` +
      'customMessage: "a < b"',
  );
  const [plain, html] = body.content as JsonObject[];
  assertEquals([body.subject, execution.taskRunList[0]?.outputs], ["demo.h: RUNNING", { statusCode: 200 }]);
  assertMatch(String(plain?.value), new RegExp(`\\na < b\\n(.*\\n)*Execution: ${execution.id}\\n`));
  assertMatch(String(html?.value), /<p>a &lt; b<\/p>/);
});

const JSON_TYPE = { "Content-Type": "application/json" };

/** The response of a service, and the error of the task. */
const REFUSALS: readonly (readonly [task: string, response: string, error: string])[] = [
  [
    `${PREFIX}.telegram.TelegramSend, endpointOverride: "http://HOST", token: hidden, channel: "1", payload: a`,
    answer(400, '{"ok":false,"error_code":400,"description":"Bad Request: chat not found"}', JSON_TYPE),
    'Cannot POST to "HOST": the response was 400: Bad Request: chat not found',
  ],
  [
    `${PREFIX}.pagerduty.PagerDutyExecution, url: "URL", routingKey: hidden`,
    answer(400, '{"status":"invalid event","message":"Event object is invalid","errors":["key"]}', JSON_TYPE),
    'Cannot POST to "HOST": the response was 400: Event object is invalid; key',
  ],
  [
    `${PREFIX}.sendgrid.SendGridMailSend, url: "URL", sendgridApiKey: hidden, from: a@example.com, to: b@example.com, textContent: a`,
    answer(
      401,
      '{"errors":[{"message":"The provided authorization grant is invalid","field":null}]}',
      JSON_TYPE,
    ),
    'Cannot POST to "HOST": the response was 401: The provided authorization grant is invalid',
  ],
  [
    `${PREFIX}.sentry.SentryExecution, dsn: "http://hidden@HOST/7"`,
    answer(403, '{"detail":"event submission rejected with_reason: ProjectId"}', JSON_TYPE),
    'Cannot POST to "HOST": the response was 403: event submission rejected with_reason: ProjectId',
  ],
  [
    `${PREFIX}.messenger.MessengerExecution, url: "URL", pageId: p, accessToken: hidden, recipientIds: [u1]`,
    answer(400, '{"error":{"message":"No matching user found","code":100}}', JSON_TYPE),
    'Cannot POST to "HOST": the response was 400: No matching user found',
  ],
  [
    `${PREFIX}.sendgrid.SendGridMailSend, url: "URL", sendgridApiKey: k, from: a@example.com, to: invalid, textContent: a`,
    "",
    'Invalid mail address "invalid"',
  ],
  [
    `${PREFIX}.sendgrid.SendGridMailSend, url: "URL", sendgridApiKey: k, from: a@example.com, to: b@example.com`,
    "",
    "Nothing to send: give htmlContent or textContent",
  ],
  [
    `${PREFIX}.sentry.SentryAlert, dsn: "hidden", payload: {}`,
    "",
    "Invalid dsn: it must be https://<key>@<host>/<project>",
  ],
  [`${PREFIX}.zenduty.ZendutyAlert, url: "URL"`, "", "Nothing to send: give payload"],
];

for (const [task, response, error] of REFUSALS) {
  Deno.test(`a refused report fails with: ${error} (${task})`, async () => {
    const { execution, errors } = await send(task, response);
    assertEquals([execution.state.current, errors[0]?.slice(0, error.length)], ["FAILED", error]);
    assertEquals(errors.join().includes("hidden"), false);
  });
}
