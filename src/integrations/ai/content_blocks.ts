/** What a user says to a model: texts, images and documents. */
import { type JsonObject, type JsonValue, objectsOf } from "../../base/json.ts";
import { encodeBase64 } from "../../languages/values/mod.ts";
import { dynamicProperty, dynamicText, type PropertySchema } from "../../model/flows/schema.ts";
import type { ServerTaskContext } from "../../model/tasks/server_task.ts";
import { optionalText } from "../../model/tasks/task_definition.ts";
import { readWhole } from "../whole_file.ts";
import type { ContentBlock } from "./models/chat.ts";

/** Providers take some 20 MB a request. */
const MAX_BYTES = 20 * 1024 * 1024;

/** Blocks instead of a text. */
export const CONTENT_BLOCKS: PropertySchema = dynamicProperty(
  "list",
  "Texts, images and documents, instead of one text.",
  {
    items: dynamicProperty("object", "A block.", {
      properties: {
        type: dynamicText("Kind of the block.", { values: ["TEXT", "IMAGE", "PDF"], default: "TEXT" }),
        text: dynamicText("The text of a text."),
        uri: dynamicText("The file of an image or a document: `kestra://…` or `nsfile:///…`."),
      },
    }),
  },
);

/** The blocks of a text or of the declared blocks. @throws Error both, neither, or a file that cannot be read */
export async function readBlocks(
  context: ServerTaskContext,
  { text, blocks }: { readonly text: string | undefined; readonly blocks: JsonValue | undefined },
): Promise<ContentBlock[]> {
  const declared = objectsOf(blocks);
  if ((text === undefined) === (declared.length === 0)) {
    throw new Error("Give either a text or contentBlocks");
  }
  if (text !== undefined) return [{ type: "text", text }];
  const read: ContentBlock[] = [];
  for (const block of declared) read.push(await readBlock(context, block));
  return read;
}

async function readBlock(context: ServerTaskContext, { type, text, uri }: JsonObject): Promise<ContentBlock> {
  if (type !== "IMAGE" && type !== "PDF") {
    const given = optionalText(text);
    if (given === undefined) throw new Error("A block of the type TEXT has no text");
    return { type: "text", text: given };
  }
  const address = optionalText(uri);
  if (address === undefined) throw new Error(`A block of the type ${type} has no uri`);
  const bytes = await bytesOf(context, address);
  const base64 = encodeBase64(bytes);
  if (type === "PDF") return { type: "pdf", mediaType: "application/pdf", base64 };
  return { type: "image", mediaType: imageType(bytes, address), base64 };
}

const NAMESPACE_FILE = /^nsfile:\/{1,3}/;

async function bytesOf(context: ServerTaskContext, uri: string): Promise<Uint8Array> {
  if (!NAMESPACE_FILE.test(uri)) {
    return await readWhole(await context.fetchFile(uri), { name: uri, maxBytes: MAX_BYTES });
  }
  const path = uri.replace(NAMESPACE_FILE, "");
  const content = await context.namespaceFiles.read(context.attempt.namespace, path, MAX_BYTES);
  if (content) return content;
  throw new Error(`Cannot read "${uri}": the namespace has no such file`);
}

/** First bytes of the formats that models take. */
const IMAGE_TYPES: readonly (readonly [mediaType: string, signature: RegExp])[] = [
  ["image/png", /^\x89PNG/],
  ["image/jpeg", /^\xff\xd8\xff/],
  ["image/gif", /^GIF8/],
  ["image/webp", /^RIFF.{4}WEBP/s],
];

function imageType(bytes: Uint8Array, uri: string): string {
  const begin = String.fromCharCode(...bytes.subarray(0, 12));
  const found = IMAGE_TYPES.find(([, signature]) => signature.test(begin));
  if (found) return found[0];
  throw new Error(`Cannot send "${uri}": it is no PNG, JPEG, GIF or WebP`);
}
