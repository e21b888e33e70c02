/** Schema registries as parts of tasks: a shorter form than `serdeProperties`. */
import { TYPE_PREFIXES } from "../../model/flows/flow.ts";
import { dynamicText, type PropertySchema } from "../../model/flows/schema.ts";
import type { PartType } from "../../model/tasks/task_catalog.ts";

const FAMILY = "kafka.registry";
const CONFLUENT = `${FAMILY}.ConfluentSchemaRegistry`;
const GLUE_INSTEAD = "use a registry with the API of Confluent";

/** Property: the registry. */
export const REGISTRY_VENDOR: PropertySchema = Object.freeze({
  type: "part",
  family: FAMILY,
  description: "The schema registry for AVRO. Credentials are given by `serdeProperties`.",
  sample: { type: `${TYPE_PREFIXES[0]}${CONFLUENT}`, schemaRegistryUrl: "https://registry.example.com" },
});

/** Types below `kafka.registry.`. */
export const KAFKA_PARTS: readonly PartType[] = Object.freeze<PartType[]>([
  {
    form: "part",
    family: FAMILY,
    type: CONFLUENT,
    aliases: [],
    description: "A registry with the API of Confluent.",
    properties: { schemaRegistryUrl: dynamicText("URL of the registry.", { required: true }) },
  },
  {
    form: "planned",
    family: FAMILY,
    type: `${FAMILY}.AwsGlueSchemaRegistry`,
    aliases: [],
    description: `Is not supported: ${GLUE_INSTEAD}.`,
    properties: {},
    refusal: GLUE_INSTEAD,
  },
]);
