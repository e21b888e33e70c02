/** `openai.CreateImage`. Shape: platform.openai.com/docs/api-reference/images. */
import { writeFile } from "node:fs/promises";
import { Buffer } from "node:buffer";
import { type JsonObject, objectsOf } from "../../base/json.ts";
import { dynamicFlag, dynamicProperty, dynamicText } from "../../model/flows/schema.ts";
import { defineTask, type TaskContext } from "../../model/tasks/task_definition.ts";
import { refusalOf } from "../http_calls.ts";
import { given, textIn } from "../ai/models/model_calls.ts";
import { callOpenAi, OPENAI_PROPERTIES } from "./client.ts";

const SIZES: ReadonlyMap<unknown, string> = new Map([
  ["SMALL", "256x256"],
  ["MEDIUM", "512x512"],
  ["LARGE", "1024x1024"],
]);

/** Images that come with the reply are stored always, others with `download`. */
export const openAiCreateImage = defineTask({
  type: "openai.CreateImage",
  title: "Make images with a model of OpenAI",
  description: "Lets a model of OpenAI make images of a description.",
  properties: {
    ...OPENAI_PROPERTIES,
    prompt: dynamicText("What the image shows.", { required: true }),
    model: dynamicText("Name of the model.", { default: "gpt-image-1" }),
    n: dynamicProperty("integer", "Number of images.", { minimum: 1, maximum: 10 }),
    size: dynamicText("Size.", { values: [...SIZES.keys()].map(String), default: "LARGE" }),
    quality: dynamicText("Quality.", { values: ["AUTO", "LOW", "MEDIUM", "HIGH"] }),
    download: dynamicFlag(false, "Stores images whose address is given."),
  },
  outputs: {
    images: { type: "list", description: "Storage URIs of the images, or their addresses." },
  },
  examples: [{
    title: "Make a picture",
    yaml: `id: picture
type: io.svc.plugin.openai.CreateImage
apiKey: "{{ secret('OPENAI_API_KEY') }}"
prompt: A lighthouse in a storm, as a woodcut
download: true`,
  }],
  async run(context) {
    const { model, prompt, n, size, quality, user } = context.properties;
    const body = await callOpenAi(context, {
      path: "images/generations",
      operation: `make an image with "${model}"`,
      json: given({
        model,
        prompt,
        n,
        size: SIZES.get(size),
        quality: quality === undefined ? undefined : String(quality).toLowerCase(),
        user,
      }),
    });
    const images: string[] = [];
    for (const image of objectsOf(body.data)) {
      images.push(await imageAddress(context, image, images.length + 1));
    }
    return { images };
  },
});

async function imageAddress(context: TaskContext, image: JsonObject, number: number): Promise<string> {
  const base64 = textIn(image.b64_json), url = textIn(image.url) ?? "";
  if (base64 !== undefined) {
    const path = `${await context.directory()}/image-${number}.png`;
    await writeFile(path, Buffer.from(base64, "base64"));
    return await context.storeFile(path);
  }
  if (context.properties.download !== true) return url;
  const { status, path = "", text } = await context.http({ url, saveTo: `image-${number}.png` });
  if (status !== 200) throw refusalOf({ operation: "read the image", url, status, words: text });
  return await context.storeFile(path);
}
