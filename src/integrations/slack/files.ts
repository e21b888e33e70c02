/** `slack.app.files.Upload` and `slack.app.canvases.Create`. https://api.slack.com/messaging/files#uploading_files */
import { isJsonObject, type JsonObject, objectsOf } from "../../base/json.ts";
import { dynamicProperty, dynamicText } from "../../model/flows/schema.ts";
import { defineTask, optionalText } from "../../model/tasks/task_definition.ts";
import { callRepeatedly, refusalOf } from "../http_calls.ts";
import { callSlack, SLACK_PROPERTIES } from "./client.ts";

/** A large file takes long. */
const TIMEOUT_MS = 300_000;

/** Three requests: for an address, with the content, and to share the file. */
export const uploadFile = defineTask({
  type: "slack.app.files.Upload",
  title: "Upload a file to Slack",
  description: "Uploads a file and shares it in channels. The token needs the scope `files:write`.",
  properties: {
    ...SLACK_PROPERTIES,
    from: dynamicText("Storage URI of the file.", { required: true, aliases: ["file"] }),
    channels: dynamicProperty(
      "list",
      "Ids of the channels, such as `C1234567890`; without one the file is not shared.",
      {
        orText: true,
        items: { type: "string", description: "Id of a channel." },
      },
    ),
    filename: dynamicText("Name of the file.", { required: true }),
    title: dynamicText("Title of the file."),
    initialComment: dynamicText("Text of the message with the file."),
    altTxt: dynamicText("Description of a picture."),
    snippetType: dynamicText("Language of a text, such as `python`."),
    timestamp: dynamicText("Timestamp of a message to reply to, in its thread."),
  },
  outputs: {
    id: { type: "string", description: "Id of the file." },
    title: { type: "string", description: "Title of the file." },
    name: { type: "string", description: "Name of the file." },
    permalink: { type: "string", description: "Address of the file." },
    permalinkPublic: { type: "string", description: "Public address of the file." },
    urlPrivate: { type: "string", description: "Address of the content, which needs the token." },
  },
  examples: [{
    title: "Upload a report",
    yaml: `id: upload
type: io.svc.plugin.slack.app.files.Upload
token: "{{ secret('SLACK_TOKEN') }}"
channels: [C1234567890]
from: "{{ outputs.report.uri }}"
filename: report.pdf`,
  }],
  async run(context) {
    const { from, channels, filename, title, initialComment, altTxt, snippetType, timestamp } =
      context.properties;
    const operation = `upload "${filename}"`;
    const { bodyFile, size: length } = await context.bodyOf(String(from));
    const { upload_url: uploadUrl, file_id: id } = await callSlack(
      context,
      { method: "files.getUploadURLExternal", operation, isRepeatable: true },
      { filename, length, alt_txt: altTxt, snippet_type: snippetType },
    );
    const url = String(uploadUrl);
    const request = { url, method: "POST", bodyFile, timeoutMs: TIMEOUT_MS };
    const { status, text } = await callRepeatedly(context, () => request, { isRepeatable: false });
    if (status >= 300) throw refusalOf({ operation, url, status, words: text });
    const { files } = await callSlack(
      context,
      { method: "files.completeUploadExternal", operation },
      {
        files: [{ id: String(id), title: optionalText(title) ?? String(filename) }],
        channels: Array.isArray(channels) ? channels.join(",") : channels,
        initial_comment: initialComment,
        thread_ts: timestamp,
      },
    );
    return fileOutputs(objectsOf(files)[0] ?? { id: String(id) });
  },
});

function fileOutputs(file: JsonObject): JsonObject {
  const outputs: JsonObject = {};
  const names = [
    ["id", "id"],
    ["title", "title"],
    ["name", "name"],
    ["permalink", "permalink"],
    ["permalinkPublic", "permalink_public"],
    ["urlPrivate", "url_private"],
  ] as const;
  for (const [name, member] of names) {
    const value = file[member];
    if (value !== undefined) outputs[name] = value;
  }
  return outputs;
}

/** Output: `canvasId`. */
export const createCanvas = defineTask({
  type: "slack.app.canvases.Create",
  title: "Create a Slack canvas",
  description: "Creates a canvas with content in Markdown. The token needs the scope `canvases:write`.",
  properties: {
    ...SLACK_PROPERTIES,
    title: dynamicText("Title of the canvas.", { required: true }),
    documentContent: dynamicProperty("map", "Content, with `type: markdown` and the text as `markdown`.", {
      required: true,
    }),
  },
  outputs: { canvasId: { type: "string", description: "Id of the canvas." } },
  examples: [{
    title: "Create a canvas",
    yaml: `id: canvas
type: io.svc.plugin.slack.app.canvases.Create
token: "{{ secret('SLACK_TOKEN') }}"
title: Release notes
documentContent:
  type: markdown
  markdown: "## Changes"`,
  }],
  async run(context) {
    const { title, documentContent } = context.properties;
    const content = isJsonObject(documentContent) ? { type: "markdown", ...documentContent } : undefined;
    const { canvas_id: canvasId } = await callSlack(
      context,
      { method: "canvases.create", operation: "create the canvas" },
      { title, document_content: content },
    );
    return { canvasId: String(canvasId) };
  },
});
