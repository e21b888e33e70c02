/**
 * Integrations whose types other servers of this language have: what to use here where a type is missing. The refusal of an
 * unknown type and `docs/INTEGRATIONS.md` are made from this table.
 */

/** A group of types of other servers. */
export interface Integration {
  /** Anchor of its section in `docs/INTEGRATIONS.md`. */
  readonly id: string;
  readonly title: string;
  /** Beginnings of canonical names; each is followed by a dot. The longest that fits decides. */
  readonly prefixes: readonly string[];
  /** Types of it will be built. */
  readonly isPlanned: boolean;
  /** The nearest way today: the end of a sentence that begins with "until then" or "instead". */
  readonly way: string;
  /** A task in YAML that does it. */
  readonly example?: string;
}

const REST = "call its REST API with core.http.Request";

/** All integrations, the most used first. */
export const INTEGRATIONS: readonly Integration[] = [
  {
    id: "gcp",
    title: "Google Cloud",
    prefixes: ["gcp"],
    isPlanned: true,
    way: "run gcloud, bq or gsutil in a gcp.cli.GCloudCLI task, or call the REST API with core.http.Request",
    example: `id: deploy
type: io.kestra.plugin.gcp.cli.GCloudCLI
serviceAccount: "{{ secret('GCP_KEY') }}"
projectId: my-project
commands:
  - gcloud run deploy app --image eu.gcr.io/my-project/app --region europe-west1`,
  },
  {
    id: "jdbc",
    title: "SQL databases",
    prefixes: ["jdbc"],
    isPlanned: true,
    way:
      "use jdbc.postgresql or jdbc.mysql for what speaks their protocols; else the driver of the database in a " +
      "scripts.python.Script task (Oracle: oracledb; Vertica: vertica-python), or an own type in a plugin file",
    example: `id: query
type: io.kestra.plugin.jdbc.postgresql.Query
url: jdbc:postgresql://db.example.com:5432/shop
username: app
password: "{{ secret('PG_PASSWORD') }}"
sql: SELECT * FROM orders
fetchType: STORE`,
  },
  {
    id: "notifications",
    title: "Notifications",
    prefixes: [
      "notifications",
      "discord",
      "teams",
      "telegram",
      "pagerduty",
      "opsgenie",
      "zenduty",
      "zulip",
      "sentry",
      "squadcast",
      "whatsapp",
      "line",
      "messenger",
      "twilio.notify",
    ],
    isPlanned: false,
    way:
      "send the message to the webhook of the service with core.http.Request; with a Flow trigger on failed " +
      "executions, one flow can do it for all others",
    example: `id: alert
type: io.kestra.plugin.core.http.Request
uri: "{{ secret('DISCORD_WEBHOOK') }}"
method: POST
contentType: application/json
body: '{"content": "Execution {{ trigger.executionId }} of {{ trigger.flowId }} failed"}'`,
  },
  {
    id: "slack",
    title: "Slack",
    prefixes: ["slack", "notifications.slack"],
    isPlanned: true,
    way: "post with notifications.slack.SlackIncomingWebhook, or to the Slack API with core.http.Request",
    example: `id: alert
type: io.kestra.plugin.notifications.slack.SlackIncomingWebhook
url: "{{ secret('SLACK_WEBHOOK') }}"
messageText: "Execution {{ execution.id }} of {{ flow.id }} failed"`,
  },
  {
    id: "email",
    title: "Mail",
    prefixes: ["email", "notifications.mail", "notifications.sendgrid", "sendgrid"],
    isPlanned: true,
    way: "call the API of other mail services with core.http.Request",
    example: `id: mail
type: io.kestra.plugin.notifications.mail.MailSend
host: smtp.example.com
port: 465
username: flows@example.com
password: "{{ secret('SMTP_PASSWORD') }}"
from: flows@example.com
to: team@example.com
subject: Done
plainTextContent: The report is ready.`,
  },
  {
    id: "git",
    title: "Git",
    prefixes: ["git"],
    isPlanned: true,
    way: "run git in a scripts.shell.Commands task within a WorkingDirectory, and " +
      "core.namespace.UploadFiles stores files as namespace files",
    example: `id: clone
type: io.kestra.plugin.core.flow.WorkingDirectory
tasks:
  - id: fetch
    type: io.kestra.plugin.git.Clone
    url: https://github.com/acme/flows.git
    branch: main
    directory: repository
  - id: build
    type: io.kestra.plugin.scripts.shell.Commands
    commands: [ls repository]`,
  },
  {
    id: "dbt",
    title: "dbt",
    prefixes: ["dbt"],
    isPlanned: false,
    way:
      "run any command of dbt in a dbt.cli.DbtCLI task, and call the REST API of dbt Cloud with core.http.Request",
    example: `id: dbt
type: io.kestra.plugin.dbt.cli.DbtCLI
beforeCommands: [pip install dbt-duckdb]
namespaceFiles:
  enabled: true
commands: [dbt build]`,
  },
  {
    id: "ai",
    title: "AI agents and models",
    prefixes: ["ai"],
    isPlanned: true,
    way: "call the REST API of the model with core.http.Request",
    example: `id: agent
type: io.kestra.plugin.ai.agent.AIAgent
provider:
  type: io.kestra.plugin.ai.provider.GoogleGemini
  apiKey: "{{ secret('GEMINI_API_KEY') }}"
  modelName: gemini-2.5-flash
prompt: "{{ inputs.question }}"`,
  },
  {
    id: "openai",
    title: "OpenAI",
    prefixes: ["openai"],
    isPlanned: true,
    way: "call its REST API with core.http.Request",
    example: `id: chat
type: io.kestra.plugin.openai.ChatCompletion
apiKey: "{{ secret('OPENAI_API_KEY') }}"
model: gpt-5-mini
prompt: "{{ inputs.question }}"`,
  },
  { id: "anthropic", title: "Anthropic", prefixes: ["anthropic"], isPlanned: true, way: REST },
  { id: "gemini", title: "Google Gemini", prefixes: ["gemini"], isPlanned: true, way: REST },
  {
    id: "aws",
    title: "Amazon Web Services",
    prefixes: ["aws"],
    isPlanned: true,
    way: "run aws in an aws.cli.AwsCLI task, or boto3 in a scripts.python.Script task",
    example: `id: upload
type: io.kestra.plugin.scripts.python.Script
dependencies: [boto3]
env:
  AWS_ACCESS_KEY_ID: "{{ secret('AWS_ACCESS_KEY_ID') }}"
  AWS_SECRET_ACCESS_KEY: "{{ secret('AWS_SECRET_ACCESS_KEY') }}"
inputFiles:
  data.csv: "{{ outputs.extract.uri }}"
script: |
  import boto3
  boto3.client("s3").upload_file("data.csv", "my-bucket", "data.csv")`,
  },
  {
    id: "minio",
    title: "MinIO and other S3 servers",
    prefixes: ["minio"],
    isPlanned: true,
    way:
      "run aws with --endpoint-url or mc in a scripts.shell.Commands task, or boto3 in a scripts.python.Script task",
  },
  {
    id: "azure",
    title: "Microsoft Azure",
    prefixes: ["azure"],
    isPlanned: true,
    way: "run az in an azure.cli.AzCLI task, or call the REST API with core.http.Request",
    example: `id: upload
type: io.kestra.plugin.azure.storage.blob.Upload
connectionString: "{{ secret('AZURE_CONNECTION') }}"
container: data
from: "{{ outputs.extract.uri }}"
name: reports/data.csv`,
  },
  {
    id: "fs",
    title: "Remote files and SSH",
    prefixes: ["fs"],
    isPlanned: true,
    way:
      "run smbclient or curl in a scripts.shell.Commands task; files of the machine of the server are read by script " +
      "tasks only, with the rights of their user",
    example: `id: restart
type: io.kestra.plugin.fs.ssh.Command
host: host.example.com
username: deploy
authMethod: PUBLIC_KEY
privateKey: "{{ secret('SSH_KEY') }}"
commands: ["systemctl restart app"]`,
  },
  {
    id: "docker",
    title: "Docker",
    prefixes: ["docker"],
    isPlanned: false,
    way: "run docker or podman in a scripts.shell.Commands task",
    example: `id: run
type: io.kestra.plugin.docker.cli.Run
containerImage: alpine:3
commands: [echo, hello]`,
  },
  {
    id: "kubernetes",
    title: "Kubernetes",
    prefixes: ["kubernetes"],
    isPlanned: true,
    way: "run kubectl in a scripts.shell.Commands task",
  },
  {
    id: "serdes",
    title: "File formats",
    prefixes: ["serdes"],
    isPlanned: true,
    way:
      "convert the file in a scripts.python.Script task: csv and json need no package, pandas or polars read the rest",
    example: `id: convert
type: io.kestra.plugin.scripts.python.Script
inputFiles:
  in.csv: "{{ outputs.extract.uri }}"
outputFiles: [out.jsonl]
script: |
  import csv, json
  with open("in.csv") as rows, open("out.jsonl", "w") as out:
      for row in csv.DictReader(rows):
          out.write(json.dumps(row) + "\\n")`,
  },
  {
    id: "transform",
    title: "Transformations of records",
    prefixes: ["transform"],
    isPlanned: false,
    way: "use the filter jq in an expression, core.storage.FilterItems, or a scripts.python.Script task",
  },
  {
    id: "compress",
    title: "Archives",
    prefixes: ["compress"],
    isPlanned: false,
    way: "for other formats run their program, such as 7z, in a scripts.shell.Commands task",
    example: `id: unpack
type: io.kestra.plugin.compress.ArchiveDecompress
from: "{{ outputs.download.uri }}"
algorithm: ZIP`,
  },
  {
    id: "crypto",
    title: "Encryption of files",
    prefixes: ["crypto"],
    isPlanned: false,
    way: "run gpg or openssl in a scripts.shell.Commands task",
    example: `id: encrypt
type: io.kestra.plugin.crypto.openpgp.Encrypt
from: "{{ outputs.report.uri }}"
key: "{{ secret('PARTNER_PUBLIC_KEY') }}"
recipients:
  - files@example.com`,
  },
  {
    id: "googleworkspace",
    title: "Google Workspace",
    prefixes: ["googleworkspace"],
    isPlanned: true,
    way:
      "use google-api-python-client in a scripts.python.Script task, or call the REST API with core.http.Request",
    example: `id: upload
type: io.kestra.plugin.googleworkspace.drive.Upload
serviceAccount: "{{ secret('GOOGLE_KEY') }}"
from: "{{ outputs.report.uri }}"
name: report.csv
contentType: text/csv`,
  },
  {
    id: "github",
    title: "GitHub",
    prefixes: ["github"],
    isPlanned: false,
    way: REST,
    example: `id: issue
type: io.kestra.plugin.github.issues.Create
oauthToken: "{{ secret('GITHUB_TOKEN') }}"
repository: acme/app
title: "Execution {{ execution.id }} failed"`,
  },
  {
    id: "notion",
    title: "Notion",
    prefixes: ["notion"],
    isPlanned: true,
    way: REST,
    example: `id: page
type: io.kestra.plugin.notion.page.Create
apiToken: "{{ secret('NOTION_TOKEN') }}"
title: Report
content: All is well.`,
  },
  {
    id: "ansible",
    title: "Ansible",
    prefixes: ["ansible"],
    isPlanned: false,
    way: "run any command of Ansible in an ansible.cli.AnsibleCLI task",
  },
  {
    id: "terraform",
    title: "Terraform",
    prefixes: ["terraform"],
    isPlanned: false,
    way: "run terraform in a terraform.cli.TerraformCLI task, or tofu in a scripts.shell.Commands task",
  },
  {
    id: "kafka",
    title: "Apache Kafka",
    prefixes: ["kafka"],
    isPlanned: true,
    way:
      "for Protobuf, share groups and administration use confluent-kafka in a scripts.python.Script task, or a REST proxy with core.http.Request",
  },
  {
    id: "mqtt",
    title: "MQTT",
    prefixes: ["mqtt"],
    isPlanned: false,
    way: "run mosquitto_pub or mosquitto_sub in a scripts.shell.Commands task",
  },
  {
    id: "amqp",
    title: "AMQP and RabbitMQ",
    prefixes: ["amqp"],
    isPlanned: false,
    way: "use pika in a scripts.python.Script task, or the management API of RabbitMQ with core.http.Request",
  },
  {
    id: "redis",
    title: "Redis",
    prefixes: ["redis"],
    isPlanned: true,
    way:
      "for other commands run redis-cli in a redis.cli.RedisCLI task; the core.kv tasks keep values between executions",
  },
  {
    id: "mongodb",
    title: "MongoDB",
    prefixes: ["mongodb"],
    isPlanned: false,
    way: "use pymongo in a scripts.python.Script task, or mongosh in a scripts.shell.Commands task",
    example: `id: find
type: io.kestra.plugin.mongodb.Find
connection:
  uri: "{{ secret('MONGODB_URI') }}"
database: shop
collection: orders
filter:
  state: open`,
  },
  {
    id: "ldap",
    title: "LDAP",
    prefixes: ["ldap"],
    isPlanned: false,
    way: "run ldapsearch in a scripts.shell.Commands task",
    example: `id: search
type: io.kestra.plugin.ldap.Search
hostname: ldap.example.com
port: 389
userDn: cn=admin,dc=example,dc=com
password: "{{ secret('LDAP_PASSWORD') }}"
baseDn: dc=example,dc=com
filter: (objectClass=person)`,
  },
  {
    id: "databricks",
    title: "Databricks",
    prefixes: ["databricks"],
    isPlanned: true,
    way: REST,
  },
  {
    id: "kestra",
    title: "Tasks for the API of the server",
    prefixes: ["kestra"],
    isPlanned: true,
    way:
      "call the API of this server with core.http.Request; core.execution, core.log and core.flow hold tasks for " +
      "executions, logs and subflows",
    example: `id: query
type: io.kestra.plugin.kestra.executions.Query
kestraUrl: https://flows.example.com
auth:
  apiToken: "{{ secret('API_TOKEN') }}"
states: [FAILED]
timeRange: P1D`,
  },
  {
    id: "enterprise",
    title: "Administration of commercial editions",
    prefixes: ["kestra.ee", "ee"],
    isPlanned: false,
    way: "manage tenants and tokens by the API of this server with core.http.Request",
  },
  {
    id: "script-languages",
    title: "Script languages",
    prefixes: ["scripts"],
    isPlanned: false,
    way: "run the program of the language in a scripts.shell.Commands task",
    example: `id: run
type: io.kestra.plugin.scripts.shell.Commands
inputFiles:
  main.rs: fn main() { println!("hello"); }
commands: [rustc main.rs, ./main]`,
  },
  {
    id: "search-and-vectors",
    title: "Search engines and vector databases",
    prefixes: [
      "elasticsearch",
      "opensearch",
      "meilisearch",
      "algolia",
      "typesense",
      "weaviate",
      "qdrant",
      "pinecone",
    ],
    isPlanned: false,
    way: REST,
  },
  {
    id: "databases",
    title: "Further databases",
    prefixes: [
      "cassandra",
      "couchbase",
      "neo4j",
      "surrealdb",
      "influxdb",
      "questdb",
      "memcached",
      "arangodb",
    ],
    isPlanned: false,
    way: "use the driver of the database in a scripts.python.Script task",
  },
  {
    id: "messaging",
    title: "Further message brokers",
    prefixes: ["nats", "pulsar", "jms", "solace", "zeebe"],
    isPlanned: false,
    way: "use the client of the broker in a scripts.python.Script task",
  },
  {
    id: "data-tools",
    title: "Data tools",
    prefixes: [
      "airbyte",
      "airflow",
      "cloudquery",
      "dataform",
      "debezium",
      "dlt",
      "fivetran",
      "hightouch",
      "malloy",
      "meltano",
      "modal",
      "singer",
      "soda",
      "spark",
      "sqlmesh",
      "sifflet",
      "tika",
    ],
    isPlanned: false,
    way: "run its command in a scripts.shell.Commands task, or call its REST API with core.http.Request",
  },
  {
    id: "business-applications",
    title: "Business applications",
    prefixes: [
      "airtable",
      "hubspot",
      "jira",
      "linear",
      "microsoft365",
      "powerbi",
      "salesforce",
      "sap",
      "servicenow",
      "shopify",
      "stripe",
      "trello",
      "twilio",
      "zendesk",
      "gitlab",
      "atlassian",
      "datadog",
      "grafana",
      "dropbox",
      "mistral",
      "cohere",
      "perplexity",
      "huggingface",
      "ollama",
    ],
    isPlanned: false,
    way: REST,
  },
];

/** What to do where a trigger of an integration is missing. */
export const TRIGGER_WAY =
  "poll in a flow with a Schedule trigger, or let the other system call a Webhook trigger";

const BY_PREFIX: ReadonlyMap<string, Integration> = new Map(
  INTEGRATIONS.flatMap((integration) => integration.prefixes.map((prefix) => [prefix, integration] as const)),
);

/** No longer beginning is in the table. Each one of a name of a megabyte takes a millisecond, and it can have a million. */
const LONGEST_PREFIX = Math.max(...[...BY_PREFIX.keys()].map(({ length }) => length));

/** The integration of a canonical name, by its longest beginning in the table; `undefined` for any other name. */
export function integrationOf(name: string): Integration | undefined {
  for (let dot = name.lastIndexOf(".", LONGEST_PREFIX); dot > 0; dot = name.lastIndexOf(".", dot - 1)) {
    const found = BY_PREFIX.get(name.slice(0, dot));
    if (found) return found;
  }
  return undefined;
}
