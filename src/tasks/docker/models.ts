/** Language models of Docker Model Runner: `docker.model.Pull`, `List` and `Delete`. https://docs.docker.com/ai/model-runner/ */
import { type JsonObject, objectsOf, tryParseJson } from "../../base/json.ts";
import { dynamicText } from "../../model/flows/schema.ts";
import type { RunnableTaskType } from "../../model/tasks/task_catalog.ts";
import { requiredTextOf } from "../property_values.ts";
import { callRuntime, checkManage, CONNECTION } from "./runtime_call.ts";

const COMMON = {
  form: "runnable",
  pure: false,
  runsOnWorkers: true,
  aliases: [],
  check: checkManage,
} as const;
/** Names such as `ai/smollm2:360M-Q4_K_M`; those of Hugging Face have capital letters. */
const NAME = /^[A-Za-z0-9][\w.-]*(?:[/:][\w][\w.-]*)*$/;
const MODEL = dynamicText("Name of the model, such as `ai/smollm2:latest`.", { required: true });

function modelOf(properties: JsonObject): string {
  const model = requiredTextOf(properties, "model").trim();
  if (model.length <= 255 && NAME.test(model)) return model;
  throw new Error(`"${model.slice(0, 100)}" is not the name of a model such as "ai/smollm2:latest"`);
}

/** Only Docker has models; Podman refuses the command. */
export const dockerModelPullTask: RunnableTaskType = {
  ...COMMON,
  type: "docker.model.Pull",
  title: "Pull a model",
  description: "Pulls a language model for Docker Model Runner. May need --container-allow manage.",
  properties: { model: MODEL, ...CONNECTION },
  outputs: { model: { type: "string", description: "Name of the model." } },
  examples: [{
    title: "Pull a model",
    yaml: `id: pull
type: io.kestra.plugin.docker.model.Pull
model: ai/smollm2`,
  }],
  async run(properties, context) {
    const model = modelOf(properties);
    const args = ["model", "pull", model];
    await callRuntime(context, properties, { args, operation: `pull the model "${model}"`, isLogged: true });
    return { state: "SUCCESS", outputs: { model } };
  },
};

/** Outputs: `models` and `count`. */
export const dockerModelListTask: RunnableTaskType = {
  ...COMMON,
  type: "docker.model.List",
  title: "List models",
  description: "Lists the language models of Docker Model Runner. May need --container-allow manage.",
  properties: CONNECTION,
  outputs: {
    models: {
      type: "list",
      items: { type: "map", description: "A model." },
      description: "`id`, `tags`, `created` in seconds since 1970, and `config` of each.",
    },
    count: { type: "integer", description: "Number of models." },
  },
  async run(properties, context) {
    const args = ["model", "list", "--json"];
    const lines = await callRuntime(context, properties, { args, operation: "list the models" });
    const listed = tryParseJson(lines.join("\n"));
    if (!Array.isArray(listed)) throw new Error("Cannot list the models: the runtime printed no JSON list");
    const models = objectsOf(listed).map(({ id = null, tags = [], created = null, config = {} }) => ({
      id,
      tags,
      created,
      config,
    }));
    return { state: "SUCCESS", outputs: { models, count: models.length } };
  },
};

/** Deletes by name. */
export const dockerModelDeleteTask: RunnableTaskType = {
  ...COMMON,
  type: "docker.model.Delete",
  title: "Delete a model",
  description: "Deletes a language model of Docker Model Runner. May need --container-allow manage.",
  properties: { model: MODEL, ...CONNECTION },
  outputs: {},
  async run(properties, context) {
    const model = modelOf(properties);
    const args = ["model", "rm", model];
    await callRuntime(context, properties, { args, operation: `delete the model "${model}"` });
    return { state: "SUCCESS", outputs: {} };
  },
};
