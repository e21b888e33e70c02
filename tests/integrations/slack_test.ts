/** The types of apps of Slack against a stub of its Web API; shapes: https://api.slack.com/methods. */
import { assertEquals, assertRejects } from "@std/assert";
import type { JsonObject } from "../../src/base/json.ts";
import { SLACK_APP_TASKS } from "../../src/integrations/slack/registry.ts";
import { type ApiReply, type ApiRequest, ApiStub } from "../support/servers/api_stub.ts";
import {
  type DefinitionRun,
  type DefinitionRunOptions,
  runDefinition,
} from "../support/flows/definition_run.ts";

const TOKEN = "xoxb-hidden";

/** A stub that requires the token, but for the content of files. */
function slackStub(reply: (request: ApiRequest, stub: ApiStub) => ApiReply): ApiStub {
  return new ApiStub((request, stub) => {
    const isAllowed = request.headers.authorization === `Bearer ${TOKEN}` || request.path === "/upload";
    return isAllowed ? reply(request, stub) : { ok: false, error: "invalid_auth" };
  });
}

function run(
  stub: ApiStub,
  name: string,
  properties: JsonObject,
  options: DefinitionRunOptions = {},
): Promise<DefinitionRun> {
  const definition = SLACK_APP_TASKS.find(({ type }) => type === `slack.app.${name}`);
  if (!definition) throw new Error(`no type ${name}`);
  const origins = { "https://slack.com": stub.url };
  return runDefinition(definition, { token: TOKEN, ...properties }, { ...options, origins });
}

function formsOf(stub: ApiStub): [string, Record<string, string>][] {
  return stub.requests.map(({ path, text }) => [
    path.replace("/api/", ""),
    Object.fromEntries(new URLSearchParams(text)),
  ]);
}

const CHANNEL = {
  id: "C1",
  name: "general",
  is_private: false,
  is_channel: true,
  created: 5,
  topic: { value: "t", creator: "U1", last_set: 6 },
};
const CHANNEL_OUTPUTS = {
  id: "C1",
  name: "general",
  isPrivate: false,
  isChannel: true,
  created: 5,
  topic: { value: "t", creator: "U1", lastSet: 6 },
};

/** Name, properties, method, arguments, response and outputs. */
const CALLS: readonly (readonly [string, JsonObject, string, Record<string, string>, object, object])[] = [
  [
    "chats.Post",
    { channel: "#a", messageText: "hi", timestamp: "1.2", iconEmoji: ":x:" },
    "chat.postMessage",
    { channel: "#a", text: "hi", thread_ts: "1.2", icon_emoji: ":x:" },
    { ts: "3.4" },
    { timestamp: "3.4" },
  ],
  [
    "chats.Post",
    { channel: "#a", payload: '{"channel": "#b", "blocks": [{"type": "divider"}]}' },
    "chat.postMessage",
    { channel: "#b", blocks: '[{"type":"divider"}]' },
    { ts: "3.4" },
    { timestamp: "3.4" },
  ],
  [
    "chats.Update",
    { channel: "C1", messageText: "b", timestamp: "1.2" },
    "chat.update",
    { channel: "C1", text: "b", ts: "1.2" },
    { ts: "1.2" },
    { timestamp: "1.2" },
  ],
  ["chats.Delete", { channel: "C1", timestamp: "1.2" }, "chat.delete", { channel: "C1", ts: "1.2" }, {}, {}],
  [
    "reactions.Add",
    { channel: "C1", timestamp: "1.2", name: "eyes" },
    "reactions.add",
    { channel: "C1", timestamp: "1.2", name: "eyes" },
    {},
    {},
  ],
  [
    "conversations.Create",
    { name: "x", isPrivate: true },
    "conversations.create",
    { name: "x", is_private: "true" },
    { channel: CHANNEL },
    CHANNEL_OUTPUTS,
  ],
  [
    "conversations.Invite",
    { channel: "C1", users: ["U1", "U2"] },
    "conversations.invite",
    { channel: "C1", users: "U1,U2" },
    { channel: CHANNEL },
    CHANNEL_OUTPUTS,
  ],
  [
    "conversations.SetTopic",
    { channel: "C1", topic: "ä" },
    "conversations.setTopic",
    { channel: "C1", topic: "ä" },
    { channel: CHANNEL },
    CHANNEL_OUTPUTS,
  ],
  ["conversations.Archive", { channel: "C1" }, "conversations.archive", { channel: "C1" }, {}, {}],
  ["conversations.Unarchive", { channel: "C1" }, "conversations.unarchive", { channel: "C1" }, {}, {}],
  ["conversations.Leave", { channel: "C1" }, "conversations.leave", { channel: "C1" }, {}, {}],
  [
    "conversations.Kick",
    { channel: "C1", user: "U1" },
    "conversations.kick",
    { channel: "C1", user: "U1" },
    {},
    {},
  ],
  [
    "conversations.Info",
    { channel: "C1" },
    "conversations.info",
    { channel: "C1" },
    { channel: CHANNEL },
    CHANNEL_OUTPUTS,
  ],
  [
    "conversations.Join",
    { channel: "C1" },
    "conversations.join",
    { channel: "C1" },
    { channel: CHANNEL },
    CHANNEL_OUTPUTS,
  ],
  [
    "conversations.Rename",
    { channel: "C1", name: "b" },
    "conversations.rename",
    { channel: "C1", name: "b" },
    { channel: CHANNEL },
    CHANNEL_OUTPUTS,
  ],
  [
    "conversations.SetPurpose",
    { channel: "C1", purpose: "ä" },
    "conversations.setPurpose",
    { channel: "C1", purpose: "ä" },
    { channel: CHANNEL },
    CHANNEL_OUTPUTS,
  ],
  [
    "reactions.Remove",
    { channel: "C1", timestamp: "1.2", name: "eyes" },
    "reactions.remove",
    { channel: "C1", timestamp: "1.2", name: "eyes" },
    {},
    {},
  ],
  [
    "canvases.Create",
    { title: "T", documentContent: { markdown: "# a" } },
    "canvases.create",
    { title: "T", document_content: '{"type":"markdown","markdown":"# a"}' },
    { canvas_id: "F1" },
    { canvasId: "F1" },
  ],
];

for (const [name, properties, method, parameters, response, outputs] of CALLS) {
  Deno.test(`${name} calls ${method} with ${JSON.stringify(parameters)}`, async () => {
    await using stub = slackStub(() => ({ ok: true, ...response }));
    assertEquals<object>((await run(stub, name, properties)).outputs, outputs);
    assertEquals(formsOf(stub), [[method, parameters]]);
  });
}

Deno.test("History stores all pages of messages", async () => {
  await using stub = slackStub(({ text }) =>
    new URLSearchParams(text).has("cursor")
      ? { ok: true, messages: [{ type: "message", ts: "1.0" }], response_metadata: { next_cursor: "" } }
      : {
        ok: true,
        messages: [{
          type: "message",
          ts: "2.0",
          thread_ts: "1.0",
          bot_id: "B1",
          blocks: [{ type: "divider" }],
        }],
        response_metadata: { next_cursor: "next" },
      }
  );
  const { outputs, files, metrics } = await run(stub, "conversations.History", {
    channel: "C1",
    oldest: "0",
  });
  assertEquals([outputs.size, metrics.records], [2, 2]);
  assertEquals((files.get(String(outputs.uri)) ?? "").trim().split("\n").map((line) => JSON.parse(line)), [
    {
      type: "message",
      botId: "B1",
      timestamp: "2.0",
      threadTimestamp: "1.0",
      payload: { blocks: [{ type: "divider" }] },
    },
    { type: "message", timestamp: "1.0" },
  ]);
  assertEquals(formsOf(stub)[1], [
    "conversations.history",
    { channel: "C1", oldest: "0", inclusive: "false", cursor: "next" },
  ]);
});

Deno.test("Upload sends the content to the address that Slack gives, and shares the file", async () => {
  await using stub = slackStub(({ path }, { url }) => {
    if (path === "/upload") return new Response("OK - 5");
    if (path.endsWith("getUploadURLExternal")) {
      return { ok: true, upload_url: `${url}/upload?v=1`, file_id: "F1" };
    }
    return { ok: true, files: [{ id: "F1", title: "a.txt", url_private: "https://files.slack.com/a" }] };
  });
  const from = "kestra:///a.txt";
  const { outputs } = await run(stub, "files.Upload", { from, filename: "a.txt", channels: ["C1", "C2"] }, {
    files: { [from]: "hello" },
  });
  assertEquals(outputs, { id: "F1", title: "a.txt", urlPrivate: "https://files.slack.com/a" });
  const [address, content, complete] = stub.requests;
  assertEquals(address?.text, "filename=a.txt&length=5");
  assertEquals([content?.text, content?.headers.authorization], ["hello", undefined]);
  assertEquals(Object.fromEntries(new URLSearchParams(complete?.text)), {
    files: '[{"id":"F1","title":"a.txt"}]',
    channels: "C1,C2",
  });
});

/** Responses, and the ends of the errors. */
const REFUSALS: readonly (readonly [reply: ApiReply, error: string])[] = [
  [{ ok: false, error: "channel_not_found" }, "channel_not_found"],
  [
    { ok: false, error: "missing_scope", needed: "chat:write" },
    "missing_scope; the token needs the scope chat:write",
  ],
  [
    { ok: false, error: "invalid_arguments", response_metadata: { messages: ["[ERROR] no text"] } },
    "invalid_arguments; [ERROR] no text",
  ],
  [new Response("down", { status: 400 }), "the response was 400: down"],
];

for (const [reply, error] of REFUSALS) {
  Deno.test(`a refusal of Slack is reported: ${error}`, async () => {
    await using stub = slackStub(() => reply);
    const { message } = await assertRejects(
      () => run(stub, "chats.Post", { channel: "C1", messageText: "a" }),
      Error,
    );
    assertEquals(message, `Cannot post the message at "slack.com": ${error}`);
  });
}

Deno.test("a message without text or payload is not sent", async () => {
  await using stub = slackStub(() => ({ ok: true }));
  await assertRejects(() => run(stub, "chats.Post", { channel: "C1" }), Error, "Nothing to send");
  assertEquals(stub.calls, []);
});
