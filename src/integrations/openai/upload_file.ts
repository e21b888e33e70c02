/** `openai.UploadFile`. Shape: platform.openai.com/docs/api-reference/files. */
import { open } from "node:fs/promises";
import { isJsonObject } from "../../base/json.ts";
import { tryParseShortJson } from "../../base/json_turns.ts";
import { dynamicText } from "../../model/flows/schema.ts";
import { defineTask, type TaskContext } from "../../model/tasks/task_definition.ts";
import { callRepeatedly, refusalOf } from "../http_calls.ts";
import { objectOf, textIn, urlOf } from "../ai/models/model_calls.ts";
import { newUuid } from "../uuid.ts";
import { authorization, OPENAI_PROPERTIES } from "./client.ts";

/** The form is written to a file, so that a large one is not held in memory. */
export const openAiUploadFile = defineTask({
  type: "openai.UploadFile",
  title: "Upload a file to OpenAI",
  description: "Uploads a file, which requests to OpenAI then name by its id.",
  properties: {
    ...OPENAI_PROPERTIES,
    from: dynamicText("Storage URI of the file.", { required: true, aliases: ["file"] }),
    purpose: dynamicText("What it is for, such as `assistants`, `batch` or `user_data`.", { required: true }),
  },
  outputs: { fileId: { type: "string", description: "Id of the file." } },
  examples: [{
    title: "Upload a report",
    yaml: `id: upload
type: io.svc.plugin.openai.UploadFile
apiKey: "{{ secret('OPENAI_API_KEY') }}"
from: "{{ outputs.report.uri }}"
purpose: user_data`,
  }],
  async run(context) {
    const { from, purpose, apiKey, baseUrl } = context.properties;
    const boundary = newUuid(); // No file contains it.
    const path = await context.fetchFile(String(from));
    const bodyFile = await writeForm(context, { path, purpose: String(purpose), boundary });
    const url = urlOf(String(baseUrl), "files");
    const headers = { ...authorization(apiKey), "Content-Type": `multipart/form-data; boundary=${boundary}` };
    const request = { url, method: "POST", headers, bodyFile, timeoutMs: 300_000 };
    const { status, text } = await callRepeatedly(context, () => request, { isRepeatable: false });
    const body = tryParseShortJson(text);
    if (status < 300 && isJsonObject(body)) return { fileId: String(body.id) };
    const words = textIn(objectOf(objectOf(body).error).message) ?? text;
    throw refusalOf({
      operation: "upload the file",
      url,
      status,
      words: words.replaceAll(String(apiKey), "***"),
    });
  },
});

interface FormFile {
  readonly path: string;
  readonly purpose: string;
  readonly boundary: string;
}

async function writeForm(context: TaskContext, { path, purpose, boundary }: FormFile): Promise<string> {
  const target = `${await context.directory()}/upload.form`;
  const name = path.slice(path.lastIndexOf("/") + 1).replaceAll(/["\r\n\\]/g, "_");
  const part = `--${boundary}\r\nContent-Disposition: form-data;`;
  const head = `${part} name="purpose"\r\n\r\n${purpose.replaceAll(/[\r\n]/g, " ")}\r\n` +
    `${part} name="file"; filename="${name}"\r\nContent-Type: application/octet-stream\r\n\r\n`;
  await using source = await open(path), form = await open(target, "w");
  await form.writeFile(head);
  for await (const bytes of source.createReadStream({ autoClose: false })) await form.writeFile(bytes);
  await form.writeFile(`\r\n--${boundary}--\r\n`);
  return target;
}
