/** What `docs/INTEGRATIONS.md` says of types and their declarations do not: what their tests run against, and differences. */

/** What the tests of some types run against. */
export interface Evidence {
  /** Names of types, or their beginnings with a dot at the end. The longest that fits a type counts. */
  readonly types: readonly string[];
  /** As the document shows it. */
  readonly against: string;
  /** Files below `tests`, which name each of the types. */
  readonly tests: readonly string[];
}

/** Words of the column "Tested against", and what they mean; other words are names of real programs of these versions. */
export const LEGEND: readonly (readonly [name: string, meaning: string])[] = [
  [
    "stub",
    "a server of HTTP in the test, which takes requests of the documented form only (method, path, headers, body and, where there " +
    "is one, signature), sends documented responses, and refuses with errors",
  ],
  ["protocol stub", "a server in the test with the protocol of the system, of which Debian has no package"],
  ["fake program", "a program in the test that prints how it is called, with which variables and files"],
  ["files", "the type needs no other system: files are converted and compared"],
  ["this server", "the type uses the server itself, which the test starts"],
  [
    "a name",
    "that program, which the test starts: those of Debian 12, such as PostgreSQL 15, MariaDB 10.11, Redis 7.0, OpenLDAP 2.5, " +
    "Mosquitto 2.0, NATS 2.9, OpenSSH 9.2, vsftpd 3.0, GnuPG 2.2, Dovecot 2.3, git 2.39, Podman 4.3 and Ansible 2.14; DuckDB 1.5 and " +
    "pgvector come from PyPI, s3rver 3.7 and smtp-server 3.21 from npm. Where one is not installed, its tests are skipped",
  ],
];

const STUB = "stub";
const FAKE = "fake program";
const FILES = "files";
const SERVER = "this server";
const DATABASES = "integrations/jdbc/database_types_test.ts";

function evidence(against: string, tests: string | readonly string[], ...types: string[]): Evidence {
  return { types, against, tests: [tests].flat() };
}

/** For each type of an integration that is here. */
export const EVIDENCE: readonly Evidence[] = [
  evidence(
    STUB,
    ["integrations/ai/models_test.ts", "integrations/ai/model_stub.ts"],
    "ai.provider.",
    "ai.completion.",
  ),
  evidence(STUB, "integrations/ai/bedrock_test.ts", "ai.provider.AmazonBedrock"),
  evidence(STUB, ["integrations/ai/agent_test.ts"], "ai.agent.", "ai.tool.", "ai.retriever."),
  evidence(STUB, "integrations/ai/rag_test.ts", "ai.rag.", "ai.retriever.EmbeddingStoreRetriever"),
  evidence(
    STUB,
    "integrations/ai/mcp_test.ts",
    "ai.mcp.",
    "ai.tool.StreamableHttpMcpClient",
    "ai.tool.SseMcpClient",
  ),
  evidence(FAKE, "integrations/ai/mcp_program_test.ts", "ai.tool.StdioMcpClient", "ai.tool.DockerMcpClient"),
  evidence("PostgreSQL with pgvector", "integrations/ai/pgvector_test.ts", "ai.embeddings.PGVector"),
  evidence(SERVER, "integrations/ai/rag_test.ts", "ai.embeddings.KestraKVStore"),
  evidence(SERVER, "integrations/ai/agent_test.ts", "ai.memory.KestraKVStore"),
  evidence("protocol stub, RabbitMQ if installed", "integrations/amqp/amqp_test.ts", "amqp."),
  evidence("Ansible", "tasks/scripts/cli/ansible_test.ts", "ansible."),
  evidence(STUB, "integrations/anthropic_test.ts", "anthropic."),
  evidence(STUB, "integrations/aws/services_test.ts", "aws.athena.", "aws.dynamodb.", "aws.lambda."),
  evidence(
    STUB,
    "integrations/aws/messages_test.ts",
    "aws.sqs.",
    "aws.sns.",
    "aws.eventbridge.",
    "aws.kinesis.",
  ),
  evidence("s3rver, stub", "integrations/aws/s3_test.ts", "aws.s3.", "minio."),
  evidence(
    FAKE,
    "tasks/scripts/cli/cli_types_test.ts",
    "aws.cli.",
    "azure.cli.",
    "gcp.cli.",
    "databricks.cli.",
    "terraform.cli.",
  ),
  evidence(
    FAKE,
    "tasks/scripts/cli/cli_types_test.ts",
    "dbt.cli.DbtCLI",
    "docker.cli.Compose",
    "jdbc.snowflake.SnowflakeCLI",
  ),
  evidence(STUB, "integrations/azure/adls_test.ts", "azure.storage.adls."),
  evidence(STUB, "integrations/azure/blob_test.ts", "azure.storage.blob.", "azure.storage.adls.SharedAccess"),
  evidence(STUB, "integrations/azure/cosmosdb_test.ts", "azure.storage.cosmosdb."),
  evidence(STUB, "integrations/azure/table_test.ts", "azure.storage.table."),
  evidence(FILES, "integrations/compress/archives_test.ts", "compress."),
  evidence(FILES, "integrations/compress/encryption_test.ts", "compress.FileEncrypt", "compress.FileDecrypt"),
  evidence("GnuPG", "integrations/openpgp_test.ts", "crypto.openpgp."),
  evidence(FAKE, "tasks/scripts/cli/dbt_test.ts", "dbt.cli."),
  evidence(STUB, "integrations/dbt/cloud_test.ts", "dbt.cloud."),
  evidence("Podman", "tasks/docker/docker_test.ts", "docker.cli."),
  evidence(
    FAKE,
    "tasks/docker/runtime_call_test.ts",
    "docker.cli.Pull",
    "docker.cli.Push",
    "docker.cli.Prune",
    "docker.model.",
  ),
  evidence(STUB, "integrations/search/search_test.ts", "elasticsearch.", "opensearch."),
  evidence(
    "vsftpd",
    ["integrations/fs_test.ts", "integrations/arrived_files_test.ts"],
    "fs.ftp.",
    "fs.ftps.",
  ),
  evidence("OpenSSH", "integrations/fs_test.ts", "fs.sftp.", "fs.ssh."),
  evidence("folders of the test", "integrations/local_files_test.ts", "fs.local.", "fs.nfs."),
  evidence("sockets of the test", "integrations/sockets_test.ts", "fs.tcp.", "fs.udp."),
  evidence(
    "sockets of the test",
    "integrations/socket_triggers_test.ts",
    "fs.tcp.RealtimeTrigger",
    "fs.udp.RealtimeTrigger",
  ),
  evidence(STUB, "integrations/gcp/access_token_test.ts", "gcp.auth."),
  evidence(
    STUB,
    ["integrations/gcp/bigquery_test.ts", "integrations/gcp/bigquery_partitions_test.ts"],
    "gcp.bigquery.",
  ),
  evidence(STUB, "integrations/gcp/gcs_test.ts", "gcp.gcs."),
  evidence(STUB, "integrations/gcp/pubsub_test.ts", "gcp.pubsub."),
  evidence(STUB, "integrations/gemini_test.ts", "gemini."),
  evidence(
    "git http-backend, OpenSSH",
    ["integrations/git_test.ts", "integrations/git_ssh_test.ts"],
    "git.",
  ),
  evidence(STUB, "integrations/github_test.ts", "github."),
  evidence(STUB, "integrations/googleworkspace_test.ts", "googleworkspace."),
  evidence(STUB, "integrations/jdbc/clickhouse_test.ts", "jdbc.clickhouse."),
  evidence(STUB, ["integrations/jdbc/dremio_test.ts", DATABASES], "jdbc.dremio."),
  evidence(STUB, ["integrations/jdbc/druid_pinot_test.ts", DATABASES], "jdbc.druid.", "jdbc.pinot."),
  evidence("DuckDB", "integrations/jdbc/duckdb/duckdb_test.ts", "jdbc.duckdb."),
  evidence("MariaDB", ["integrations/jdbc/mysql_test.ts", DATABASES], "jdbc.mariadb.", "jdbc.mysql."),
  evidence("PostgreSQL", "integrations/jdbc/postgresql_test.ts", "jdbc.postgresql."),
  evidence("PostgreSQL in its place", DATABASES, "jdbc.redshift."),
  evidence(
    STUB,
    ["integrations/jdbc/snowflake_test.ts", "integrations/jdbc/snowflake_upload_test.ts", DATABASES],
    "jdbc.snowflake.",
  ),
  evidence("SQLite", "integrations/jdbc/sqlite_test.ts", "jdbc.sqlite."),
  evidence("protocol stub", ["integrations/jdbc/sqlserver_test.ts", DATABASES], "jdbc.sqlserver."),
  evidence(STUB, ["integrations/jdbc/trino_test.ts", DATABASES], "jdbc.trino."),
  evidence("protocol stub", "integrations/kafka/kafka_test.ts", "kafka."),
  evidence(STUB, "integrations/kafka/schema_registry_test.ts", "kafka.registry."),
  evidence(SERVER, "integrations/kestra_test.ts", "kestra."),
  evidence(STUB, "integrations/kubernetes/kubectl_test.ts", "kubernetes.kubectl."),
  evidence(STUB, "integrations/kubernetes/pod_create_test.ts", "kubernetes.core."),
  evidence("OpenLDAP", "integrations/ldap_test.ts", "ldap."),
  evidence("protocol stub", "integrations/mongodb/mongodb_test.ts", "mongodb."),
  evidence("Mosquitto", "integrations/mqtt/mqtt_test.ts", "mqtt."),
  evidence("NATS", "integrations/nats/nats_test.ts", "nats."),
  evidence(STUB, ["integrations/alerts_test.ts", "integrations/notifications_test.ts"], "notifications."),
  evidence(
    "smtp-server",
    "integrations/mail/mail_test.ts",
    "notifications.mail.MailSend",
    "notifications.mail.MailExecution",
  ),
  evidence("Dovecot", "integrations/mail/received_triggers_test.ts", "notifications.mail."),
  evidence(STUB, "integrations/notion_test.ts", "notion."),
  evidence(STUB, "integrations/openai_test.ts", "openai."),
  evidence("Redis", "integrations/redis/redis_test.ts", "redis."),
  evidence(
    "stub of the module",
    "integrations/redis/redis_test.ts",
    "redis.json.",
    "redis.vector.",
  ),
  evidence("Redis", "tasks/scripts/cli/redis_cli_test.ts", "redis.cli."),
  evidence(FAKE, "tasks/scripts/languages_test.ts", "scripts."),
  evidence(
    "the program of the language",
    ["tasks/scripts_test.ts", "tasks/scripts/script_packages_test.ts"],
    "scripts.shell.",
    "scripts.python.",
    "scripts.node.",
    "scripts.deno.",
  ),
  evidence(FILES, "integrations/serdes/avro/avro_test.ts", "serdes.avro."),
  evidence(FILES, "integrations/serdes/csv/csv_test.ts", "serdes.csv."),
  evidence(FILES, "integrations/serdes/excel/excel_test.ts", "serdes.excel."),
  evidence(FILES, "integrations/serdes/json/json_test.ts", "serdes.json."),
  evidence(
    FILES,
    "integrations/serdes/toon_test.ts",
    "serdes.json.JsonToToon",
    "serdes.json.ToonToJson",
  ),
  evidence(FILES, "integrations/serdes/protobuf/protobuf_test.ts", "serdes.protobuf."),
  evidence(FILES, "integrations/serdes/markdown/markdown_test.ts", "serdes.markdown."),
  evidence(FILES, "integrations/serdes/avro/avro_test.ts", "serdes.parquet."),
  evidence(FILES, "integrations/serdes/xml_test.ts", "serdes.xml."),
  evidence(FILES, "integrations/serdes/yaml_test.ts", "serdes.yaml."),
  evidence(STUB, "integrations/slack_test.ts", "slack."),
  evidence("requests of the test", "http/routes/triggers/slack_events_test.ts", "slack.app.core.Trigger"),
  evidence(FILES, "integrations/transform/records_test.ts", "transform."),
  evidence(FILES, "integrations/transform/grok_test.ts", "transform.grok."),
  evidence(FILES, "integrations/transform/jsonata_test.ts", "transform.jsonata."),
];

const BY_BEGINNING: ReadonlyMap<string, Evidence> = new Map(
  EVIDENCE.flatMap((each) => each.types.map((type) => [type, each] as const)),
);

/** What the tests of a type run against: the entry of its longest beginning. */
export function evidenceOf(type: string): Evidence | undefined {
  const exact = BY_BEGINNING.get(type);
  if (exact) return exact;
  for (let dot = type.lastIndexOf("."); dot > 0; dot = type.lastIndexOf(".", dot - 1)) {
    const found = BY_BEGINNING.get(type.slice(0, dot + 1));
    if (found) return found;
  }
  return undefined;
}

/**
 * Types that behave differently, beyond properties that their declarations refuse or ignore: how, in a few words. A beginning with
 * a dot at the end stands for its types.
 */
export const DIFFERENCES: ReadonlyMap<string, string> = new Map([
  ["azure.storage.cosmosdb.Queries", "no order and no sums across physical partitions"],
  ["azure.storage.cosmosdb.Query", "no order and no sums across physical partitions"],
  ["kafka.RealtimeTrigger", "no `schemaRegistryVendor`"],
  ["kafka.Trigger", "no `schemaRegistryVendor`"],
  ["kestra.executions.Count", "no `expression`"],
]);

/** How a type differs; `undefined` if it does not. */
export function differenceOf(type: string): string | undefined {
  return DIFFERENCES.get(type) ?? DIFFERENCES.get(`${type.split(".")[0]}.`);
}

/** Names in flows that no server of this language has a type for. */
export const INVENTED_TYPES: ReadonlySet<string> = new Set([
  "ai.Agent",
  "ai.llm.ChatCompletion",
  "dbt.tasks.DbtRun",
  "fs.s3.Upload",
  "gcp.gcs.Ls",
  "jdbc.io.kestra.plugin.jdbc.postgres.Query",
  "notifications.mail.Email",
]);
