/** `ai.completion.ImageGeneration`. */
import { writeFile } from "node:fs/promises";
import { Buffer } from "node:buffer";
import type { JsonObject } from "../../base/json.ts";
import { dynamicText } from "../../model/flows/schema.ts";
import { defineServerTask } from "../../model/tasks/server_task.ts";
import { pathWithin } from "../remote_files.ts";
import { partProperty } from "./part.ts";
import { modelOf } from "./providers.ts";

/** Newer models send the image itself, which is stored. */
export const imageGeneration = defineServerTask({
  type: "ai.completion.ImageGeneration",
  aliases: ["langchain4j.ImageGeneration", "langchain4j.completion.ImageGeneration"],
  title: "Make an image",
  description: "Lets a model make an image of a description.",
  properties: {
    provider: partProperty("provider", "Model.", { required: true }),
    prompt: dynamicText("What the image shows.", { required: true }),
  },
  outputs: {
    imageUrl: {
      type: "string",
      description: "Address of the image; its storage URI, where the model sends the image itself.",
    },
  },
  metrics: { "ai.provider.calls": { type: "counter", description: "Uses of a provider, by `provider`." } },
  examples: [{
    title: "Make a picture for a report",
    yaml: `id: picture
type: io.svc.plugin.ai.completion.ImageGeneration
provider:
  type: io.svc.plugin.ai.provider.OpenAI
  apiKey: "{{ secret('OPENAI_API_KEY') }}"
  modelName: gpt-image-1
prompt: A lighthouse in a storm, as a woodcut`,
  }],
  async run(context): Promise<JsonObject> {
    const provider = context.properties.provider as JsonObject;
    const model = await modelOf(context, provider);
    context.metric("ai.provider.calls", 1, { tags: { provider: String(provider.type) } });
    const image = await model.image(String(context.properties.prompt));
    if ("url" in image) return { imageUrl: image.url };
    const path = pathWithin(await context.directory(), `image.${image.mediaType.replace("image/", "")}`);
    await writeFile(path, Buffer.from(image.base64, "base64"));
    return { imageUrl: await context.storeFile(path) };
  },
});
