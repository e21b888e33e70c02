/** Declares the parts of tasks of this group, and checks them at work. */
import type { JsonObject } from "../../base/json.ts";
import { TYPE_PREFIXES } from "../../model/flows/flow.ts";
import type { PropertySchema, PropertySchemas } from "../../model/flows/schema.ts";
import { dynamicProperties } from "../../model/tasks/task_definition.ts";
import type { PartType } from "../../model/tasks/task_catalog.ts";

/** The families, by what they are. */
const FAMILIES = Object.freeze({
  provider: "ai.provider",
  tool: "ai.tool",
  retriever: "ai.retriever",
  embeddings: "ai.embeddings",
  memory: "ai.memory",
});

/** One of {@link FAMILIES}. */
type Family = keyof typeof FAMILIES;

interface PartOptions {
  readonly description: string;
  readonly properties: PropertySchemas;
  /** Former names. */
  readonly aliases?: readonly string[];
  /** Names a whole example. */
  readonly example?: string;
}

/** A part of a family; its type is `<family>.<name>`. */
export function definePart(
  family: Family,
  name: string,
  { description, properties, aliases = [], example }: PartOptions,
): PartType {
  return Object.freeze({
    form: "part",
    family: FAMILIES[family],
    type: `${FAMILIES[family]}.${name}`,
    aliases,
    description,
    properties: dynamicProperties(properties),
    ...example !== undefined && { examples: [{ title: "Example", yaml: example }] },
  });
}

/** A part that is refused. `refusal`: the reason and the way out, as the end of a sentence. */
export function refusedPart(family: Family, name: string, refusal: string): PartType {
  const type = `${FAMILIES[family]}.${name}`;
  const properties: PropertySchemas = {};
  const description = `Is not supported: ${refusal}.`;
  return Object.freeze({
    form: "planned",
    type,
    family: FAMILIES[family],
    aliases: [],
    description,
    properties,
    refusal,
  });
}

/** A part of each family, for examples. */
const SAMPLES: Readonly<Record<Family, JsonObject>> = Object.freeze({
  provider: {
    type: sampleType("provider.OpenAI"),
    modelName: "gpt-5-mini",
    apiKey: "{{ secret('OPENAI_API_KEY') }}",
  },
  tool: { type: sampleType("tool.KestraFlow") },
  retriever: { type: sampleType("retriever.TavilyWebSearch"), apiKey: "{{ secret('TAVILY_API_KEY') }}" },
  embeddings: { type: sampleType("embeddings.KestraKVStore") },
  memory: { type: sampleType("memory.KestraKVStore") },
});

function sampleType(name: string): string {
  return `${TYPE_PREFIXES[0]}ai.${name}`;
}

/** A property whose value is a part. */
export function partProperty(
  family: Family,
  description: string,
  { required }: { readonly required?: boolean } = {},
): PropertySchema {
  const { [family]: sample } = SAMPLES;
  return { type: "part", family: FAMILIES[family], description, sample, ...required && { required } };
}

/** A property whose value is a list of parts. */
export function partsProperty(family: Family, description: string): PropertySchema {
  const items = partProperty(family, "One of them.", { required: true });
  return { type: "list", description, items };
}
