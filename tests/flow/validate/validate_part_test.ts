/** Parts of tasks: which are accepted, how problems are placed, and what their defaults are. */
import { assertEquals } from "@std/assert";
import { parseFlowSource, validateFlow } from "../../../src/flow/mod.ts";
import { applyPluginDefaults } from "../../../src/flow/schema/plugin_defaults.ts";
import { isJsonObject, type JsonObject } from "../../../src/base/json.ts";
import { createTaskCatalog } from "../../../src/tasks/registry.ts";
import { createTriggerCatalog } from "../../../src/triggers/registry.ts";
import "../../support/flows/all_integrations.ts";

const CATALOGS = { tasks: createTaskCatalog(), triggers: createTriggerCatalog() };
const AI = "io.kestra.plugin.ai";
const OPENAI = `type: ${AI}.provider.OpenAI, apiKey: k, modelName: m`;
const FLOW = `${AI}.tool.KestraFlow`;

function source(members: string, defaults = "[]"): string {
  return `{id: a, namespace: b, pluginDefaults: ${defaults}, tasks: [{id: t, type: ${AI}.agent.AIAgent, prompt: p, ${members}}]}`;
}

/** Properties of an agent, and its problems: `path message`. */
const PARTS: readonly (readonly [members: string, ...problems: string[]])[] = [
  [`provider: {${OPENAI}}`],
  [`provider: {${OPENAI.replace("io.kestra", "io.svc")}}`],
  [`provider: {type: io.kestra.plugin.langchain4j.provider.GoogleGemini, apiKey: "{{ secret('K') }}", modelName: m}`],
  [`provider: {${OPENAI}}, tools: [{type: ${FLOW}}, {type: ${AI}.tool.TavilyWebSearch, apiKey: k}]`],
  ["a: 1", 'a Unrecognized field "a"', "provider must not be null"],
  ["provider: OpenAI", 'provider must be an object with a type, but received "OpenAI"'],
  ["provider: {apiKey: k}", "provider.type must not be null"],
  [`provider: {type: ${AI}.provider.OpenAI, apiKey: k}`, "provider.modelName must not be null"],
  [
    `provider: {${OPENAI}, modelname: m}`,
    'provider.modelname Unrecognized field "modelname", did you mean "modelName"',
  ],
  [
    `provider: {type: ${AI}.provider.OpenAi, apiKey: k, modelName: m}`,
    `provider.type Invalid type: ${AI}.provider.OpenAi, did you mean "${AI}.provider.OpenAI"`,
  ],
  [
    `provider: {type: ${AI}.provider.WatsonxAI, modelName: m}`,
    `provider.type Type "${AI}.provider.WatsonxAI" is not supported: use a gateway with the API of OpenAI and its ` +
    "`baseUrl`",
  ],
  [
    `provider: {type: ${AI}.provider.AzureOpenAI, apiKey: k, modelName: m, endpoint: e, tenantId: x}`,
    "provider.tenantId is not supported yet, remove it",
  ],
  [
    `provider: {${OPENAI}}, tools: [{type: ${AI}.tool.AIAgent, description: d, provider: {${OPENAI}, x: 1}}]`,
    'tools[0].provider.x Unrecognized field "x"',
  ],
  [`provider: {${OPENAI}}, tools: [null]`, "tools[0] must not be null"],
  [
    `provider: {${OPENAI}}, memory: {type: ${AI}.memory.KestraKVStore, ttl: soon}`,
    "memory.ttl " +
    'must be an ISO 8601 duration such as "PT10S", or a number of seconds, but received "soon"',
  ],
];

for (const [members, ...expected] of PARTS) {
  Deno.test(`validateFlow() of an agent with ${members}`, () => {
    const problems = validateFlow(parseFlowSource(source(members)), CATALOGS)
      .filter(({ severity }) => severity === "error")
      .map(({ path, message }) => `${path.replace("tasks[0].", "")} ${message}`);
    assertEquals(problems.sort(), expected.toSorted());
  });
}

Deno.test("a part of another family is no correction and is refused", () => {
  const [problem] = validateFlow(parseFlowSource(source(`provider: {type: ${FLOW}}`)), CATALOGS);
  assertEquals([problem?.code, problem?.path], ["unknown_type", "tasks[0].provider.type"]);
});

/** Plugin defaults, the properties of an agent, and its properties with the defaults. */
const DEFAULTS: readonly (readonly [defaults: string, members: string, provider: JsonObject])[] = [
  [
    `[{type: ${AI}.provider.OpenAI, values: {apiKey: d, modelName: d}}]`,
    `provider: {type: ${AI}.provider.OpenAI, modelName: m}`,
    {
      type: `${AI}.provider.OpenAI`,
      modelName: "m",
      apiKey: "d",
    },
  ],
  [
    `[{type: ${AI}, values: {apiKey: d, prompt: q}}]`,
    `provider: {type: ${AI}.provider.OpenAI, modelName: m}`,
    {
      type: `${AI}.provider.OpenAI`,
      modelName: "m",
      apiKey: "d",
    },
  ],
];

for (const [defaults, members, provider] of DEFAULTS) {
  Deno.test(`plugin defaults ${defaults} apply to parts`, () => {
    const parsed = parseFlowSource(source(members, defaults));
    assertEquals(validateFlow(parsed, CATALOGS).filter(({ severity }) => severity === "error"), []);
    const { tasks } = applyPluginDefaults(isJsonObject(parsed.document) ? parsed.document : {}, CATALOGS);
    assertEquals((tasks as JsonObject[])[0]?.provider, provider);
  });
}

Deno.test("plugin defaults apply to the parts of lists and to those within parts", () => {
  const tool = `{type: ${AI}.tool.AIAgent, description: d, provider: {type: ${AI}.provider.OpenAI}}`;
  const defaults =
    `[{type: ${AI}.provider.OpenAI, values: {modelName: d}}, {type: ${AI}.tool.AIAgent, values: {name: n}}]`;
  const parsed = parseFlowSource(source(`provider: {${OPENAI}}, tools: [${tool}]`, defaults));
  const { tasks } = applyPluginDefaults(isJsonObject(parsed.document) ? parsed.document : {}, CATALOGS);
  const [{ name, provider } = {}] = (tasks as JsonObject[])[0]?.tools as JsonObject[];
  assertEquals([name, provider], ["n", { type: `${AI}.provider.OpenAI`, modelName: "d" }]);
});
