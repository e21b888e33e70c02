/** Providers of models: their properties, and the model that they describe. */
import { type JsonObject, ownProperty } from "../../base/json.ts";
import {
  dynamicChoice,
  dynamicProperty,
  dynamicText,
  type PropertySchema,
  type PropertySchemas,
} from "../../model/flows/schema.ts";
import { optionalText, type TaskTls } from "../../model/tasks/task_definition.ts";
import type { PartType } from "../../model/tasks/task_catalog.ts";
import type { LanguageModel, ModelContext } from "./models/chat.ts";
import type { OpenAiPlace } from "./models/openai_model.ts";
import { given } from "./models/model_calls.ts";
import { definePart, refusedPart } from "./part.ts";

const CERTIFICATE = /-----BEGIN CERTIFICATE-----/;
const PRIVATE_KEY = /-----BEGIN [A-Z ]*PRIVATE KEY-----/;

const MODEL_NAME: PropertySchema = dynamicText("Name of the model, as the provider gives it.", {
  required: true,
});
const API_KEY: PropertySchema = dynamicText("API key; keep it as a secret.", { required: true });

/** Properties of all providers. */
const COMMON: PropertySchemas = {
  modelName: MODEL_NAME,
  baseUrl: dynamicText("Address of the API, instead of that of the provider."),
  clientPem: dynamicText("Certificate and key of the client, one after the other, PEM; keep it as a secret."),
  caPem: dynamicText("Certificates of authorities in place of those of the machine, PEM."),
};

/** A provider with the API of OpenAI: where it is, and what differs. */
interface OpenAiFlavor {
  readonly name: string;
  readonly title: string;
  /** The default address; a function of the properties where it depends on them. */
  readonly baseUrl: string | ((properties: JsonObject) => string);
  readonly properties?: PropertySchemas;
  /** Property with the credential. */
  readonly keyName?: string;
  /** Header of the credential. */
  readonly header?: (key: string) => Readonly<Record<string, string>>;
  readonly query?: (properties: JsonObject) => string;
  readonly place?: Partial<OpenAiPlace>;
}

const OLDER_LIMIT: Partial<OpenAiPlace> = { maxTokensName: "max_tokens" };
const WITHOUT_SCHEMA: Partial<OpenAiPlace> = { ...OLDER_LIMIT, hasJsonSchema: false };
const LOCAL_KEY: PropertySchemas = { apiKey: dynamicText("API key, where the server requires one.") };
const LATEST_AZURE = "2024-10-21";

const OPENAI_FLAVORS: readonly OpenAiFlavor[] = [
  { name: "OpenAI", title: "OpenAI", baseUrl: "https://api.openai.com/v1" },
  {
    name: "AzureOpenAI",
    title: "Azure OpenAI",
    properties: {
      modelName: dynamicText("Name of the deployment.", { required: true }),
      endpoint: dynamicText("Address of the resource, such as `https://name.openai.azure.com/`.", {
        required: true,
      }),
      serviceVersion: dynamicText("Version of the API.", { default: LATEST_AZURE }),
      tenantId: dynamicText("Tenant of an application, instead of a key.", { planned: true }),
      clientId: dynamicText("Id of an application, instead of a key.", { planned: true }),
      clientSecret: dynamicText("Secret of an application, instead of a key.", { planned: true }),
    },
    baseUrl: ({ endpoint, modelName }) =>
      `${String(endpoint).replace(/(?<!\/)\/+$/, "")}/openai/deployments/${
        encodeURIComponent(String(modelName))
      }`,
    query: ({ serviceVersion }) => `?api-version=${encodeURIComponent(String(serviceVersion))}`,
    header: (key) => ({ "api-key": key }),
  },
  { name: "DeepSeek", title: "DeepSeek", baseUrl: "https://api.deepseek.com/v1", place: WITHOUT_SCHEMA },
  {
    name: "MistralAI",
    title: "Mistral",
    baseUrl: "https://api.mistral.ai/v1",
    place: { ...OLDER_LIMIT, seedName: "random_seed" },
  },
  { name: "OpenRouter", title: "OpenRouter", baseUrl: "https://openrouter.ai/api/v1", place: OLDER_LIMIT },
  {
    name: "HuggingFace",
    title: "Hugging Face",
    baseUrl: "https://router.huggingface.co/v1",
    place: OLDER_LIMIT,
  },
  {
    name: "GitHubModels",
    title: "GitHub Models",
    baseUrl: "https://models.github.ai/inference",
    keyName: "gitHubToken",
    place: OLDER_LIMIT,
  },
  {
    name: "WorkersAI",
    title: "Cloudflare Workers AI",
    properties: { accountId: dynamicText("Id of the account.", { required: true }) },
    baseUrl: ({ accountId }) =>
      `https://api.cloudflare.com/client/v4/accounts/${encodeURIComponent(String(accountId))}/ai/v1`,
    place: OLDER_LIMIT,
  },
  {
    name: "ZhiPuAI",
    title: "ZhiPu AI",
    baseUrl: "https://open.bigmodel.cn/api/paas/v4",
    place: WITHOUT_SCHEMA,
  },
  {
    name: "DashScope",
    title: "Alibaba DashScope",
    baseUrl: "https://dashscope-intl.aliyuncs.com/compatible-mode/v1",
    place: WITHOUT_SCHEMA,
  },
  {
    name: "Ollama",
    title: "Ollama",
    properties: {
      endpoint: dynamicText("Address of the server, such as `http://localhost:11434`.", { required: true }),
      ...LOCAL_KEY,
    },
    baseUrl: ({ endpoint }) => `${String(endpoint).replace(/(?<!\/)\/+$/, "")}/v1`,
    place: OLDER_LIMIT,
  },
  {
    name: "LocalAI",
    title: "LocalAI",
    properties: { baseUrl: dynamicText("Address of the API, with `/v1`.", { required: true }), ...LOCAL_KEY },
    baseUrl: "",
    place: OLDER_LIMIT,
  },
  {
    name: "DockerModel",
    title: "Docker Model Runner",
    properties: LOCAL_KEY,
    baseUrl: "http://localhost:12434/engines/v1",
    place: OLDER_LIMIT,
  },
];

const FORMER = "langchain4j.provider";
/** Names that older flows have for a type. */
const FURTHER_NAMES: Readonly<Record<string, readonly string[]>> = { GoogleGemini: ["ai.provider.GoogleAI"] };

function provider(name: string, title: string, properties: PropertySchemas): PartType {
  return definePart("provider", name, {
    description: `Models of ${title}.`,
    properties: { ...COMMON, ...properties },
    aliases: [`${FORMER}.${name}`, ...FURTHER_NAMES[name] ?? []],
  });
}

/** All providers. */
export const PROVIDERS: readonly PartType[] = Object.freeze([
  ...OPENAI_FLAVORS.map(({ name, title, properties, keyName = "apiKey" }) =>
    provider(name, title, { [keyName]: API_KEY, ...properties })
  ),
  provider("Anthropic", "Anthropic", {
    apiKey: API_KEY,
    maxTokens: dynamicProperty("integer", "Most tokens of a reply.", { minimum: 1 }),
  }),
  provider("AmazonBedrock", "Amazon Bedrock", {
    modelName: dynamicText("Id of the model or of an inference profile, or its ARN.", { required: true }),
    accessKeyId: dynamicText("Id of the access key.", { required: true }),
    secretAccessKey: dynamicText("Secret access key; keep it as a secret.", { required: true }),
    sessionToken: dynamicText("Token of a session with temporary credentials; keep it as a secret."),
    region: dynamicText("Region, such as `eu-central-1`.", { default: "us-east-1" }),
    modelType: dynamicChoice(["COHERE", "TITAN"], "COHERE", "The kind of a model for embeddings."),
  }),
  provider("GoogleGemini", "Google Gemini", {
    apiKey: API_KEY,
    embeddingModelConfiguration: dynamicProperty("object", "Options of embeddings.", {
      properties: {
        taskType: dynamicText("What the embeddings are for, such as `RETRIEVAL_DOCUMENT`."),
        outputDimensionality: dynamicProperty("integer", "Length of the vectors.", { minimum: 1 }),
        titleMetadataKey: dynamicText("Metadata with the title.", { ignored: true }),
        maxRetries: dynamicProperty("integer", "Retries of a request.", { ignored: true }),
        timeout: dynamicProperty("duration", "Longest wait.", { ignored: true }),
      },
    }),
  }),
  refusedPart("provider", "GoogleVertexAI", "use `ai.provider.GoogleGemini` with an API key"),
  refusedPart("provider", "OciGenAI", "use a gateway with the API of OpenAI and its `baseUrl`"),
  refusedPart("provider", "WatsonxAI", "use a gateway with the API of OpenAI and its `baseUrl`"),
]);

/** The model that a typed provider describes. */
export async function modelOf(caller: ModelContext, properties: JsonObject): Promise<LanguageModel> {
  const context = withCertificates(caller, properties);
  const name = String(properties.type).split(".").at(-1) ?? "";
  const modelName = String(properties.modelName), apiKey = String(properties.apiKey ?? "");
  const baseUrl = optionalText(properties.baseUrl);
  if (name === "Anthropic") {
    const { AnthropicModel } = await import("./models/anthropic_model.ts");
    return new AnthropicModel(context, {
      modelName,
      apiKey,
      baseUrl: baseUrl ?? "https://api.anthropic.com/v1",
    });
  }
  if (name === "AmazonBedrock") {
    const { BedrockModel } = await import("./models/bedrock_model.ts");
    const { accessKeyId, secretAccessKey, sessionToken, region, modelType } = properties;
    const connection = {
      accessKeyId,
      secretKeyId: secretAccessKey,
      sessionToken,
      region,
      endpointOverride: baseUrl,
    };
    return new BedrockModel(context, {
      modelName,
      connection: given(connection),
      embeddingType: String(modelType),
    });
  }
  if (name === "GoogleGemini") {
    const { GeminiModel, GEMINI_URL } = await import("./models/gemini_model.ts");
    const embedding = properties.embeddingModelConfiguration as JsonObject | undefined;
    return new GeminiModel(context, { modelName, apiKey, baseUrl: baseUrl ?? GEMINI_URL, embedding });
  }
  const { OpenAiModel } = await import("./models/openai_model.ts");
  return new OpenAiModel(context, openAiPlace(name, properties));
}

/** Requests use the certificates of the properties, if there are any. @throws Error a certificate of a client without its key */
function withCertificates(context: ModelContext, { clientPem, caPem }: JsonObject): ModelContext {
  const client = optionalText(clientPem), ca = optionalText(caPem);
  if (client === undefined && ca === undefined) return context;
  if (client !== undefined && !(CERTIFICATE.test(client) && PRIVATE_KEY.test(client))) {
    throw new Error("Invalid clientPem: it must have a certificate and its key, PEM");
  }
  // Each of the two is found in a text with both.
  const tls: TaskTls = { ca, certificate: client, key: client };
  return {
    signal: context.signal,
    log: (level, message) => context.log(level, message),
    http: (request) => context.http({ ...request, tls }),
  };
}

/** Where a model of a provider with the API of OpenAI is. */
function openAiPlace(name: string, properties: JsonObject): OpenAiPlace {
  const flavor = OPENAI_FLAVORS.find((each) => each.name === name);
  if (!flavor) throw new Error(`Unknown provider "${name}"`);
  const { title, keyName = "apiKey", header = bearer, baseUrl, query, place } = flavor;
  const key = optionalText(ownProperty(properties, keyName)) ?? "";
  const ownUrl = optionalText(properties.baseUrl);
  return {
    provider: title,
    modelName: String(properties.modelName),
    baseUrl: ownUrl ?? (typeof baseUrl === "string" ? baseUrl : baseUrl(properties)),
    query: query?.(properties),
    headers: key === "" ? {} : header(key),
    secrets: [key],
    maxTokensName: "max_completion_tokens",
    hasJsonSchema: true,
    ...place,
  };
}

function bearer(key: string): Readonly<Record<string, string>> {
  return { Authorization: `Bearer ${key}` };
}
