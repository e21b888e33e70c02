import { assertEquals } from "@std/assert";
import type { PropertySchema } from "../../src/model/flows/schema.ts";
import { nestedTaskProperties } from "../../src/model/tasks/task_catalog.ts";
import { createTaskCatalog } from "../../src/tasks/registry.ts";
import { TASK_RUNNERS } from "../../src/tasks/scripts/task_runner.ts";
import { declarationProblems } from "../support/checks/declaration_rules.ts";
import "../support/flows/all_integrations.ts";

/** Canonical names by group; aliases follow the colon. */
const TYPES: readonly (readonly [group: string, names: string])[] = [
  ["core.log", "Log Fetch PurgeLogs: core.tasks.log.Log core.tasks.log.Fetch"],
  ["core.debug", "Return Echo: core.tasks.debugs.Return core.tasks.debugs.Echo"],
  [
    "core.execution",
    "Fail Assert Exit Labels SetVariables UnsetVariables Count Resume PurgeExecutions: core.tasks.executions.Fail " +
    "core.tasks.executions.Labels core.tasks.executions.Counts core.tasks.executions.Resume core.tasks.storages.Purge",
  ],
  [
    "core.flow",
    "Sequential Parallel If Switch ForEach EachSequential EachParallel Dag AllowFailure Pause LoopUntil " +
    "WorkingDirectory Subflow ForEachItem Loop Template Sleep PurgeFlows: core.flow.WaitFor core.tasks.flows.Sequential " +
    "core.tasks.flows.Parallel core.tasks.flows.If core.tasks.flows.Switch core.tasks.flows.EachSequential " +
    "core.tasks.flows.EachParallel core.tasks.flows.Dag core.tasks.flows.AllowFailure core.tasks.flows.Pause " +
    "core.tasks.flows.WaitFor core.tasks.flows.WorkingDirectory core.tasks.flows.Worker core.tasks.flows.Subflow core.tasks.flows.Flow " +
    "core.tasks.flows.ForEachItem core.tasks.flows.Template core.tasks.flows.Sleep core.tasks.flows.ForEach",
  ],
  ["core.http", "Request Download SseRequest: fs.http.Request fs.http.Download"],
  ["core.kv", "Set Put Get Delete GetKeys PurgeKV"],
  ["core.metric", "Publish"],
  ["core.state", "Set Get Delete: core.tasks.states.Set core.tasks.states.Get core.tasks.states.Delete"],
  ["core.namespace", "UploadFiles DownloadFiles DeleteFiles PurgeFiles"],
  [
    "core.storage",
    "LocalFiles Write Concat Split Size Delete Reverse DeduplicateItems FilterItems PurgeCurrentExecutionFiles PurgeStorage: " +
    "core.tasks.storages.LocalFiles core.tasks.storages.Concat core.tasks.storages.Split core.tasks.storages.Size " +
    "core.tasks.storages.Delete core.tasks.storages.Reverse core.tasks.storages.DeduplicateItems " +
    "core.tasks.storages.FilterItems core.tasks.storages.PurgeExecution",
  ],
  ["core.output", "OutputValues"],
  ["core.trigger", "Toggle: core.tasks.trigger.Toggle"],
  ["core.templating", "TemplatedTask: core.tasks.templating.TemplatedTask"],
  ["scripts.shell", "Commands Script: core.tasks.scripts.Bash"],
  ["scripts.python", "Commands Script: core.tasks.scripts.Python"],
  ["scripts.node", "Commands Script: core.tasks.scripts.Node"],
  ["scripts.deno", "Commands Script"],
  ...["bun", "go", "groovy", "jbang", "julia", "lua", "perl", "php", "powershell", "r", "ruby"].map((
    language,
  ) => [`scripts.${language}`, "Commands Script"] as const),
  ["ansible.cli", "AnsibleCLI"],
  ["aws.cli", "AwsCLI"],
  ["azure.cli", "AzCLI"],
  ["databricks.cli", "DatabricksCLI"],
  ["dbt.cli", "DbtCLI Build Compile Deps Freshness List Run Seed Setup Snapshot Test"],
  ["dbt.cloud", "CheckStatus TriggerRun"],
  [
    "docker.cli",
    "Build Compose ImageLs Prune Pull Push Rm Run Stop Tag: docker.Build docker.Compose docker.ImageLs " +
    "docker.Prune docker.Pull docker.Push docker.Rm docker.Run docker.Stop docker.Tag",
  ],
  ["docker.model", "Delete List Pull"],
  ["gcp.cli", "GCloudCLI"],
  ["jdbc.snowflake", "SnowflakeCLI"],
  ["kubernetes.core", "PodCreate: kubernetes.PodCreate"],
  ["kubernetes.kubectl", "Apply Delete Get Patch Restart"],
  ["redis.cli", "RedisCLI"],
  ["terraform.cli", "TerraformCLI"],
  [
    "jdbc.postgresql",
    "Query Queries Batch CopyIn CopyOut: jdbc.postgres.Query jdbc.postgres.Queries jdbc.postgres.Batch",
  ],
  ...["redshift", "mysql", "mariadb", "sqlite", "sqlserver", "trino"].map((system) =>
    [`jdbc.${system}`, "Query Queries Batch"] as const
  ),
  ...["dremio", "druid", "duckdb", "pinot"].map((system) => [`jdbc.${system}`, "Query Queries"] as const),
  ["jdbc.clickhouse", "BulkInsert Queries Query"],
  ["jdbc.snowflake", "Batch Download Queries Query Upload"],
  [
    "notifications.slack",
    "SlackIncomingWebhook SlackExecution: slack.notifications.SlackIncomingWebhook slack.SlackIncomingWebhook " +
    "notifications.slack.SlackIncoming slack.notifications.SlackExecution slack.SlackExecution",
  ],
  [
    "notifications.discord",
    "DiscordIncomingWebhook DiscordExecution: discord.DiscordIncomingWebhook discord.DiscordExecution",
  ],
  [
    "notifications.teams",
    "TeamsIncomingWebhook TeamsExecution: teams.TeamsIncomingWebhook teams.TeamsExecution",
  ],
  ["crypto.openpgp", "Decrypt Encrypt"],
  ["fs.ssh", "Command"],
  ["fs.local", "Copy Delete Download Downloads List Move Upload Uploads"],
  ["fs.nfs", "CheckMount Copy Delete List Move"],
  ...["ftp", "ftps", "sftp"].map((protocol) =>
    [`fs.${protocol}`, "Delete Download Downloads List Move Upload Uploads"] as const
  ),
  [
    "git",
    "Clone NamespaceSync Push PushDashboards PushExecutionFiles PushFlows PushNamespaceFiles Sync SyncDashboards " +
    "SyncFlow SyncFlows SyncNamespaceFiles TenantSync",
  ],
  ["notifications.mail", "MailSend MailExecution: email.MailSend email.MailExecution"],
  [
    "notifications.google",
    "GoogleChatIncomingWebhook GoogleChatExecution: googleworkspace.chat.GoogleChatIncomingWebhook " +
    "googleworkspace.chat.GoogleChatExecution",
  ],
  [
    "notifications.zulip",
    "ZulipIncomingWebhook ZulipExecution: " +
    "zulip.ZulipIncomingWebhook zulip.ZulipExecution",
  ],
  [
    "notifications.telegram",
    "TelegramSend TelegramExecution: " +
    "telegram.TelegramSend telegram.TelegramExecution",
  ],
  [
    "notifications.whatsapp",
    "WhatsAppIncomingWebhook WhatsAppExecution: " +
    "whatsapp.WhatsAppIncomingWebhook whatsapp.WhatsAppExecution",
  ],
  [
    "notifications.line",
    "LineExecution: " +
    "line.LineExecution",
  ],
  [
    "notifications.messenger",
    "MessengerExecution: " +
    "messenger.MessengerExecution",
  ],
  [
    "notifications.x",
    "XExecution: " +
    "x.XExecution",
  ],
  [
    "notifications.twilio",
    "TwilioAlert TwilioExecution: " +
    "twilio.TwilioAlert twilio.TwilioExecution twilio.notify.TwilioAlert twilio.notify.TwilioExecution",
  ],
  [
    "notifications.pagerduty",
    "PagerDutyAlert PagerDutyExecution: " +
    "pagerduty.PagerDutyAlert pagerduty.PagerDutyExecution",
  ],
  [
    "notifications.opsgenie",
    "OpsgenieAlert OpsgenieExecution: " +
    "opsgenie.OpsgenieAlert opsgenie.OpsgenieExecution",
  ],
  [
    "notifications.zenduty",
    "ZendutyAlert ZendutyExecution: " +
    "zenduty.ZendutyAlert zenduty.ZendutyExecution",
  ],
  [
    "notifications.squadcast",
    "SquadcastIncomingWebhook SquadcastExecution: " +
    "squadcast.SquadcastIncomingWebhook squadcast.SquadcastExecution",
  ],
  [
    "notifications.sentry",
    "SentryAlert SentryExecution: " +
    "sentry.SentryAlert sentry.SentryExecution",
  ],
  [
    "notifications.sendgrid",
    "SendGridMailSend SendGridMailExecution: " +
    "sendgrid.SendGridMailSend sendgrid.SendGridMailExecution",
  ],
  [
    "serdes.avro",
    "AvroToIon IonToAvro InferAvroSchemaFromIon: serdes.avro.AvroReader serdes.avro.AvroWriter",
  ],
  ["serdes.csv", "CsvToIon IonToCsv: serdes.csv.CsvReader serdes.csv.CsvWriter"],
  ["serdes.excel", "ExcelToIon IonToExcel"],
  [
    "serdes.json",
    "JsonToIon IonToJson JsonToJsonl JsonToToon ToonToJson: serdes.json.JsonReader serdes.json.JsonWriter",
  ],
  ["serdes.protobuf", "ProtobufToIon"],
  ["serdes.parquet", "ParquetToIon IonToParquet: serdes.parquet.ParquetReader serdes.parquet.ParquetWriter"],
  ["serdes.xml", "XmlToIon IonToXml: serdes.xml.XmlReader serdes.xml.XmlWriter"],
  ["serdes.yaml", "YamlToIon IonToYaml JsonToYaml YamlToJson"],
  ["ai.agent", "AIAgent"],
  [
    "ai.completion",
    "ChatCompletion Classification ImageGeneration JSONStructuredExtraction: " +
    "langchain4j.ChatCompletion langchain4j.completion.Classification langchain4j.ImageGeneration",
  ],
  ["ai.mcp", "CallTool ListTools"],
  ["ai.rag", "ChatCompletion IngestDocument Search: langchain4j.rag.ChatCompletion"],
  ["anthropic", "ChatCompletion"],
  ["gemini", "ChatCompletion StructuredOutputCompletion TextCompletion"],
  ["openai", "ChatCompletion CreateImage Responses UploadFile"],
  ["compress", "ArchiveCompress ArchiveDecompress FileCompress FileDecompress FileEncrypt FileDecrypt"],
  ["gcp.auth", "OauthAccessToken"],
  [
    "gcp.bigquery",
    "Copy CopyPartitions CreateDataset CreateTable DeleteDataset DeletePartitions DeleteTable ExtractToGcs Load " +
    "LoadFromGcs Query RunTransferConfig TableMetadata " +
    "UpdateDataset UpdateTable",
  ],
  [
    "gcp.gcs",
    "Compose Copy CreateBucket CreateBucketIamPolicy Delete DeleteBucket DeleteList Download Downloads List " +
    "UpdateBucket Upload",
  ],
  ["github.actions", "RunWorkflow"],
  ["github.auth", "AppToken"],
  ["github.issues", "Comment Create Search"],
  ["github.projects", "List"],
  ["github.pulls", "Create Search"],
  ...["code", "commits", "repositories", "topics", "users"].map((what) =>
    [`github.${what}`, "Search"] as const
  ),
  ["googleworkspace.calendar", "InsertEvent"],
  ["googleworkspace.drive", "Create Delete Download Export List Upload"],
  ["googleworkspace.sheets", "CreateSpreadsheet DeleteSpreadsheet Load Read ReadRange"],
  ["ldap", "Add Delete Modify Search"],
  ["kestra.executions", "Count Delete Kill Query Resume"],
  ["kestra.flows", "Export ExportById List"],
  ["kestra.logs", "Fetch"],
  ["kestra.namespaces", "List NamespacesWithFlows"],
  ["kestra.triggers", "Toggle"],
  ["mongodb", "Aggregate Bulk Delete Find InsertOne Load Update"],
  ["notion.blocks", "CreatePage"],
  ["notion.page", "Archive Create Read Update"],
  ["redis.vector", "Add Delete Similarity"],
  ["serdes.markdown", "HtmlToMarkdown MarkdownToHtml MarkdownToText"],
  ["slack.app.canvases", "Create"],
  ["slack.app.chats", "Delete Post Update"],
  [
    "slack.app.conversations",
    "Archive Create History Info Invite Join Kick Leave Rename SetPurpose SetTopic Unarchive",
  ],
  ["slack.app.files", "Upload"],
  ["slack.app.reactions", "Add Remove"],
  ...["fs.tcp", "fs.udp"].map((group) => [group, "Send"] as const),
  ["aws.athena", "Query"],
  ["aws.dynamodb", "DeleteItem GetItem PutItem Query Scan"],
  ["azure.storage.adls", "Delete DeleteFiles List Read Reads SharedAccess Upload"],
  ["azure.storage.adls.update", "Append Lease SetAccessControl"],
  ["azure.storage.blob", "Copy Delete DeleteList Download Downloads List SharedAccess Upload"],
  ["azure.storage.cosmosdb", "Batch CreateItem Delete Queries Query"],
  ["azure.storage.table", "Bulk Delete Get List"],
  ["aws.eventbridge", "PutEvents"],
  ["aws.kinesis", "PutRecords"],
  ["aws.lambda", "Invoke"],
  ["aws.sns", "Publish"],
  ["aws.sqs", "Consume Publish"],
  ["gcp.pubsub", "Consume Publish"],
  ...["aws.s3", "minio"].map((group) =>
    [group, "Copy CreateBucket Delete DeleteList Download Downloads List Upload"] as const
  ),
  ["kafka", "Consume Produce"],
  ["amqp", "Consume CreateQueue DeclareExchange Publish QueueBind"],
  ["elasticsearch", "Bulk Esql Get Load Put Request Scroll Search"],
  ["opensearch", "Bulk Get Load Ppl Put Request Scroll Search"],
  ["mqtt", "Publish Subscribe"],
  ["nats.core", "Consume Produce Request"],
  ["nats.kv", "CreateBucket Delete Get Put"],
  ["redis.json", "Delete Get Increment Set"],
  ["redis.list", "ListPop ListPush: redis.ListPop redis.ListPush"],
  ["redis.pubsub", "Publish: redis.Publish"],
  ["redis.string", "Delete Get Increment Set Ttl: redis.Delete redis.Get redis.Set"],
  ["transform", "Aggregate Filter Map Select Unnest Zip"],
  ...["transform.grok", "transform.jsonata"].map((group) =>
    [group, "TransformItems TransformValue"] as const
  ),
];

for (const [group, names] of TYPES) {
  Deno.test(`createTaskCatalog() knows the types of ${group} and their aliases`, () => {
    const catalog = createTaskCatalog();
    const [canonical = "", older = ""] = names.split(": ");
    const own = canonical.split(" ").map((name) => `${group}.${name}`);
    assertEquals(own.map((name) => catalog.find(name)?.type), own);
    const known = older.split(" ").filter(Boolean).map((
      name,
    ) => [name, catalog.find(name)?.type ?? "not found"]);
    assertEquals(known.filter(([, type]) => !own.includes(type ?? "")), []);
  });
}

Deno.test("createTaskCatalog() has no type beside the groups of this test", () => {
  const listed = TYPES.flatMap(([group, names]) =>
    (names.split(": ")[0] ?? "").split(" ").map((name) => `${group}.${name}`)
  );
  assertEquals(createTaskCatalog().list().map(({ type }) => type), listed.sort());
});

/** Aliases whose last part differs from that of the type. */
const RENAMED: readonly (readonly [alias: string, type: string])[] = [
  ["core.flow.WaitFor", "core.flow.LoopUntil"],
  ["core.tasks.flows.WaitFor", "core.flow.LoopUntil"],
  ["core.tasks.flows.Flow", "core.flow.Subflow"],
  ["core.tasks.executions.Counts", "core.execution.Count"],
  ["core.tasks.storages.Purge", "core.execution.PurgeExecutions"],
  ["core.tasks.storages.PurgeExecution", "core.storage.PurgeCurrentExecutionFiles"],
  ["core.tasks.scripts.Bash", "scripts.shell.Commands"],
];

for (const [alias, type] of RENAMED) {
  Deno.test(`createTaskCatalog() finds ${type} by its alias ${alias}`, () => {
    assertEquals(createTaskCatalog().find(alias)?.type, type);
  });
}

Deno.test("createTaskCatalog() finds nothing by names of prototypes", () => {
  const catalog = createTaskCatalog();
  const names = ["constructor", "__proto__", "toString", ""];
  assertEquals(names.map((name) => catalog.find(name)), names.map(() => undefined));
});

Deno.test("createTaskCatalog() types follow the rules of declarations", () => {
  const { list, parts } = createTaskCatalog();
  assertEquals(declarationProblems([...list(), ...parts.list(), ...Object.values(TASK_RUNNERS)]), []);
});

const TEXT: PropertySchema = { type: "string", description: "A text." };

/** Properties that break a rule, and the reported problem. */
const BROKEN: readonly (readonly [property: PropertySchema, problem: string])[] = [
  [{ ...TEXT, description: "A text" }, "the description is no sentence"],
  [{ ...TEXT, description: "" }, "the description is no sentence"],
  [{ ...TEXT, deprecated: "use `other`." }, "the replacement is no phrase"],
  [{ ...TEXT, required: true, default: "a" }, "required, with a default"],
  [{ ...TEXT, default: 1 }, "the default is no string"],
  [{ ...TEXT, type: "duration", default: "1 minute" }, "the default is no duration"],
  [{ ...TEXT, values: ["a"], default: "b" }, "the default is none of the values"],
  [{ ...TEXT, type: "integer", minimum: 1, default: 0 }, "the default is too small"],
  [{ ...TEXT, type: "integer", maximum: 1, default: 2 }, "the default is too large"],
  [{ ...TEXT, items: TEXT }, "only lists and maps have items"],
  [{ ...TEXT, type: "object" }, "an object has members"],
  [{ ...TEXT, properties: { a: TEXT } }, "only an object has members"],
  [
    { ...TEXT, type: "object", properties: { a: { ...TEXT, dynamic: true } } },
    "what holds a dynamic member is dynamic",
  ],
  [{ ...TEXT, type: "list", items: { ...TEXT, dynamic: true } }, "what holds a dynamic member is dynamic"],
];

for (const [property, problem] of BROKEN) {
  Deno.test(`declarationProblems() reports: ${problem} (${JSON.stringify(property)})`, () => {
    const type = { type: "a", aliases: [], description: "A type.", properties: { b: property } };
    assertEquals(declarationProblems([type]), [`a.b: ${problem}`]);
  });
}

Deno.test("declarationProblems() reports duplicate names", () => {
  const first = { type: "a", aliases: ["b"], description: "A type.", properties: {} };
  const second = { ...first, type: "b", properties: { c: { ...TEXT, aliases: ["c"] } }, aliases: [] };
  assertEquals(declarationProblems([first, second]), ["b: the name is taken", "b.c: the name is taken"]);
});

/** Properties with nested tasks. */
const NESTING: readonly (readonly [type: string, ...names: string[]])[] = [
  ["core.flow.Sequential", "tasks", "errors", "finally"],
  ["core.flow.Parallel", "tasks", "errors", "finally"],
  ["core.flow.If", "then", "else", "errors", "finally"],
  ["core.flow.Switch", "cases", "defaults", "errors", "finally"],
  ["core.flow.ForEach", "tasks", "errors", "finally"],
  ["core.flow.EachSequential", "tasks", "errors", "finally"],
  ["core.flow.EachParallel", "tasks", "errors", "finally"],
  ["core.flow.Dag", "tasks", "errors", "finally"],
  ["core.flow.AllowFailure", "tasks", "errors", "finally"],
  ["core.flow.Pause", "onPause", "tasks", "errors", "finally"],
  ["core.flow.LoopUntil", "tasks", "errors", "finally"],
  ["core.flow.WorkingDirectory", "tasks", "errors", "finally"],
  ["core.flow.Loop", "tasks", "errors", "finally"],
  ["core.flow.ForEachItem", "errors", "finally"],
  ["core.flow.Subflow"],
  ["core.log.Log"],
];

for (const [type, ...names] of NESTING) {
  Deno.test(`nestedTaskProperties() of ${type}: ${names.join(", ") || "none"}`, () => {
    const found = createTaskCatalog().find(type);
    assertEquals(found && nestedTaskProperties(found), names);
  });
}
