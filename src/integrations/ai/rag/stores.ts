/** Stores of embeddings, as flows declare them. */
import type { JsonObject } from "../../../base/json.ts";
import { dynamicFlag, dynamicProperty, dynamicText } from "../../../model/flows/schema.ts";
import type { ServerTaskContext } from "../../../model/tasks/server_task.ts";
import type { PartType } from "../../../model/tasks/task_catalog.ts";
import { definePart, refusedPart } from "../part.ts";
import type { EmbeddingStore, StoreOptions } from "./embedded_text.ts";

const PGVECTOR = "PGVector";

const OTHERS = [
  ...["Chroma", "Elasticsearch", "MariaDB", "Milvus", "MongoDBAtlas"],
  ...["Pinecone", "Qdrant", "Redis", "Tablestore", "Weaviate"],
];

/** The stores. */
export const STORES: readonly PartType[] = Object.freeze([
  definePart("embeddings", "KestraKVStore", {
    description: "Embeddings in KV pairs of the namespace, for up to some thousand texts.",
    aliases: ["langchain4j.embeddings.KestraKVStore"],
    properties: { kvName: dynamicText("Key of the pair; default is `<id of the flow>-embedding-store`.") },
  }),
  definePart("embeddings", PGVECTOR, {
    description:
      "Embeddings in a table of PostgreSQL with the extension pgvector. The first documents create the table.",
    aliases: ["langchain4j.embeddings.PGVector"],
    properties: {
      host: dynamicText("Host of the database.", { required: true }),
      port: dynamicProperty("integer", "Port of the database.", {
        required: true,
        minimum: 1,
        maximum: 65_535,
      }),
      user: dynamicText("Name of the user.", { required: true }),
      password: dynamicText("Password of the user; keep it as a secret.", { required: true }),
      database: dynamicText("Name of the database.", { required: true }),
      table: dynamicText("Name of the table, perhaps with its schema and a dot.", { required: true }),
      useIndex: dynamicFlag(false, "Whether an index makes searches faster, and less exact."),
    },
    example: `type: io.svc.plugin.ai.embeddings.PGVector
host: db.example.com
port: 5432
user: app
password: "{{ secret('PG_PASSWORD') }}"
database: knowledge
table: manuals`,
  }),
  ...OTHERS.map((name) =>
    refusedPart("embeddings", name, "use `ai.embeddings.PGVector` or `ai.embeddings.KestraKVStore`")
  ),
]);

/** Opens the store of a typed part. @throws Error it cannot be reached, or it is no store */
export async function openStore(
  context: ServerTaskContext,
  part: JsonObject,
  options: StoreOptions,
): Promise<EmbeddingStore> {
  if (String(part.type).endsWith(`.${PGVECTOR}`)) {
    const { PgVectorStore } = await import("./pgvector_store.ts");
    return await PgVectorStore.open(context, part, options);
  }
  const { KvEmbeddingStore } = await import("./kv_store.ts");
  return await KvEmbeddingStore.open(context, part, options);
}
