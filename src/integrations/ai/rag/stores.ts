/** Stores of embeddings, as flows declare them. */
import { dynamicText } from "../../../model/flows/schema.ts";
import type { PartType } from "../../../model/tasks/task_catalog.ts";
import { definePart, refusedPart } from "../part.ts";

const OTHERS = [
  ...["Chroma", "Elasticsearch", "MariaDB", "Milvus", "MongoDBAtlas", "PGVector"],
  ...["Pinecone", "Qdrant", "Redis", "Tablestore", "Weaviate"],
];

/** The stores. */
export const STORES: readonly PartType[] = Object.freeze([
  definePart("embeddings", "KestraKVStore", {
    description: "Embeddings in KV pairs of the namespace, for up to some thousand texts.",
    aliases: ["langchain4j.embeddings.KestraKVStore"],
    properties: { kvName: dynamicText("Key of the pair; default is `<id of the flow>-embedding-store`.") },
  }),
  ...OTHERS.map((name) => refusedPart("embeddings", name, "use `ai.embeddings.KestraKVStore`")),
]);
