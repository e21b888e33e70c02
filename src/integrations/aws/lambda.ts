/** `aws.lambda.Invoke`. https://docs.aws.amazon.com/lambda/latest/api/API_Invoke.html */
import { writeFile } from "node:fs/promises";
import { isJsonObject, stringifyJson } from "../../base/json.ts";
import { tryParseShortJson } from "../../base/json_turns.ts";
import { dynamicProperty, dynamicText } from "../../model/flows/schema.ts";
import { defineTask, optionalText } from "../../model/tasks/task_definition.ts";
import { AwsClient, CONNECTION } from "./client.ts";

/** Outputs: `uri`, `contentLength` and `contentType`. */
export const lambdaInvoke = defineTask({
  type: "aws.lambda.Invoke",
  title: "Invoke a function of AWS Lambda",
  description:
    "Invokes a function, waits for its end and stores its result. An error of the function fails the task.",
  properties: {
    ...CONNECTION,
    functionArn: dynamicText("ARN or name of the function.", { required: true }),
    functionPayload: dynamicProperty("map", "Event of the function.", { orText: true }),
  },
  outputs: {
    uri: { type: "string", description: "Storage URI of the result." },
    contentLength: { type: "integer", description: "Bytes of the result." },
    contentType: { type: "string", description: "Content type of the result." },
  },
  examples: [{
    title: "Invoke a function with an event",
    yaml: `id: invoke
type: io.svc.plugin.aws.lambda.Invoke
accessKeyId: "{{ secret('AWS_KEY_ID') }}"
secretKeyId: "{{ secret('AWS_SECRET_KEY') }}"
region: eu-central-1
functionArn: arn:aws:lambda:eu-central-1:123456789012:function:resize
functionPayload:
  id: 1`,
  }],
  async run(context) {
    const { functionArn, functionPayload } = context.properties;
    const client = new AwsClient(context);
    const name = String(functionArn);
    const operation = `invoke the function "${name}"`;
    const { bytes, text, headers } = await client.send({
      service: "lambda",
      url: `${client.endpointOf("lambda")}/2015-03-31/functions/${encodeURIComponent(name)}/invocations`,
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: functionPayload === undefined ? "" : stringifyJson(functionPayload),
      operation,
    });
    const error = headers["x-amz-function-error"];
    if (error !== undefined) {
      const result = tryParseShortJson(text);
      const words = isJsonObject(result) ? optionalText(result.errorMessage) : undefined;
      throw new Error(`Cannot ${operation}: its error is ${error}: ${(words ?? text).slice(0, 500)}`);
    }
    const path = `${await context.directory()}/result.json`;
    await writeFile(path, bytes);
    return {
      uri: await context.storeFile(path),
      contentLength: bytes.length,
      contentType: headers["content-type"] ?? "application/json",
    };
  },
});
