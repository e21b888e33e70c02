/** The types that post to webhooks of chat services: what they send, and what they say when it is refused. */
import { assertEquals, assertMatch } from "@std/assert";
import type { JsonObject } from "../../src/base/json.ts";
import { answer } from "../support/servers/misbehaving_server.ts";
import { send } from "../support/flows/sent_message.ts";

const PREFIX = "type: io.kestra.plugin.notifications";

/** A task, and the body that it sends. */
const BODIES: readonly (readonly [task: string, body: JsonObject])[] = [
  [`${PREFIX}.slack.SlackIncomingWebhook, url: "URL", messageText: "{{ flow.id }} failed"`, {
    text: "h failed",
  }],
  [`${PREFIX}.slack.SlackIncomingWebhook, url: "URL", payload: '{"text": "{{ flow.id }}"}'`, { text: "h" }],
  // As flows write it; it is no name of the service.
  [`${PREFIX}.slack.SlackIncoming, url: "URL", message: "{{ flow.id }} failed"`, { text: "h failed" }],
  [`${PREFIX}.slack.SlackIncomingWebhook, url: "URL", payload: {channel: "#a"}, messageText: b`, {
    channel: "#a",
    text: "b",
  }],
  [`${PREFIX}.discord.DiscordIncomingWebhook, url: "URL", messageText: hi`, { content: "hi" }],
  [`${PREFIX}.teams.TeamsIncomingWebhook, url: "URL", payload: {type: message}`, { type: "message" }],
  [`${PREFIX}.google.GoogleChatIncomingWebhook, url: "URL", messageText: hi`, { text: "hi" }],
];

for (const [task, expected] of BODIES) {
  Deno.test(`a message is posted as JSON: ${task}`, async () => {
    const { execution, head, body, count } = await send(task);
    assertEquals([execution.state.current, count, body], ["SUCCESS", 1, expected]);
    assertMatch(head, /^POST \/services\/T0\/B0\/hidden HTTP\/1\.1\r\n/);
    assertMatch(head, /\r\ncontent-type: application\/json\r\n/i);
  });
}

const FIELDS = ["Namespace", "Flow", "Execution", "State", "Duration", "Team"];
const TEMPLATE = 'customMessage: look, customFields: {Team: "{{ flow.namespace }}"}';

Deno.test("SlackExecution sends an attachment with the facts of the execution and a link to it", async () => {
  const task = `${PREFIX}.slack.SlackExecution, url: "URL", channel: "#ops", username: Flows, ${TEMPLATE}`;
  const { execution, body } = await send(task);
  const [attachment] = body.attachments as JsonObject[];
  const { fields = [], ...rest } = attachment ?? {};
  assertEquals([body.text, body.channel, body.username], ["demo.h: RUNNING", "#ops", "Flows"]);
  assertEquals((fields as JsonObject[]).map(({ title }) => title), FIELDS);
  assertEquals((fields as JsonObject[])[5], { title: "Team", value: "demo", short: true });
  assertEquals(rest, {
    color: "#5b7083",
    fallback: "demo.h: RUNNING",
    text: "look",
    title: execution.id,
    title_link: `https://flows.example.com/ui/main/executions/demo/h/${execution.id}`,
  });
});

Deno.test("DiscordExecution sends an embed of the execution, and those that are given", async () => {
  const embed = "{title: More, websiteUrl: 'https://a.example.com', color: [1, 2, 3], footer: f}";
  const { body } = await send(
    `${PREFIX}.discord.DiscordExecution, url: "URL", avatarUrl: a, content: c, embedList: [${embed}], ${TEMPLATE}`,
  );
  const [first, second] = body.embeds as JsonObject[];
  assertEquals([body.username, body.avatar_url, body.content], ["Sluice", "a", "c"]);
  assertEquals([first?.title, first?.description, first?.color], ["demo.h: RUNNING", "look", 0x5b7083]);
  assertEquals((first?.fields as JsonObject[]).map(({ name }) => name), FIELDS);
  assertEquals(second, { title: "More", url: "https://a.example.com", footer: { text: "f" }, color: 66_051 });
});

Deno.test("TeamsExecution sends a MessageCard with facts and a link", async () => {
  const { execution, body } = await send(
    `${PREFIX}.teams.TeamsExecution, url: "URL", activityTitle: Report, ${TEMPLATE}`,
  );
  const [section] = body.sections as JsonObject[];
  const [action] = body.potentialAction as JsonObject[];
  assertEquals([body["@type"], body.summary, section?.activityTitle, section?.text], [
    "MessageCard",
    "Report",
    "Report",
    "look",
  ]);
  assertEquals((section?.facts as JsonObject[]).map(({ name }) => name), FIELDS);
  assertMatch(JSON.stringify(action?.targets), new RegExp(`/executions/demo/h/${execution.id}"`));
});

Deno.test("GoogleChatExecution sends lines of text", async () => {
  const { execution, body } = await send(
    `${PREFIX}.google.GoogleChatExecution, url: "URL", text: "Report", ${TEMPLATE}`,
  );
  const lines = String(body.text).split("\n");
  assertEquals([lines[0], lines[1], lines[4]], ["*Report*", "look", `Execution: ${execution.id}`]);
  assertMatch(lines.at(-1) ?? "", /^<https:\/\/flows\.example\.com\/ui\/.*\|Open the execution>$/);
});

const SLACK = `${PREFIX}.slack.SlackIncomingWebhook, url: "URL", messageText: a`;
const JSON_TYPE = { "Content-Type": "application/json" };

/** The response of a service, and the error of the task. */
const REFUSALS: readonly (readonly [task: string, response: string, error: string])[] = [
  [SLACK, answer(403, "invalid_token"), 'Cannot POST to "HOST": the response was 403: invalid_token'],
  [
    `${PREFIX}.discord.DiscordIncomingWebhook, url: "URL", messageText: a`,
    answer(404, '{"message": "Unknown Webhook", "code": 10015}', JSON_TYPE),
    'Cannot POST to "HOST": the response was 404: Unknown Webhook',
  ],
  [
    `${PREFIX}.google.GoogleChatIncomingWebhook, url: "URL", messageText: a`,
    answer(400, '{"error": {"code": 400, "message": "Message cannot be empty"}}', JSON_TYPE),
    'Cannot POST to "HOST": the response was 400: Message cannot be empty',
  ],
  [
    `${PREFIX}.teams.TeamsIncomingWebhook, url: "URL", messageText: a`,
    answer(200, "Webhook message delivery failed with error: HTTP error 429"),
    'Cannot POST to "HOST": the response was 200: Webhook message delivery failed with error: HTTP error 429',
  ],
  [SLACK, answer(500, ""), 'Cannot POST to "HOST": the response was 500'],
  [SLACK, "HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nok", 'Cannot POST to "HOST": '],
  [`${PREFIX}.slack.SlackIncomingWebhook, url: "URL"`, "", "Nothing to send: give payload or messageText"],
  [
    `${PREFIX}.slack.SlackIncomingWebhook, url: "URL", payload: "no json", messageText: a`,
    "",
    "Invalid payload: it must be a JSON object",
  ],
  [`${PREFIX}.slack.SlackIncomingWebhook, url: "{{ '' }}", messageText: a`, "", "Missing url: it is empty"],
  [
    `${PREFIX}.slack.SlackIncomingWebhook, url: "ftp://x/hidden", messageText: a`,
    "",
    "Cannot send a request: the URL must begin with http:// or https://",
  ],
  [
    `${PREFIX}.slack.SlackExecution, url: "URL", executionId: none`,
    "",
    'Cannot read the execution "none": it does not exist',
  ],
];

for (const [task, response, error] of REFUSALS) {
  Deno.test(`a refused message fails with: ${error} (${task})`, async () => {
    const { execution, errors } = await send(task, response);
    assertEquals([execution.state.current, errors[0]?.slice(0, error.length)], ["FAILED", error]);
    assertEquals(errors.join().includes("hidden"), false);
  });
}
