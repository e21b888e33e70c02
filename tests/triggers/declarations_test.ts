import { assertEquals } from "@std/assert";
import { createTriggerCatalog } from "../../src/triggers/registry.ts";
import { declarationProblems } from "../support/checks/declaration_rules.ts";
import "../support/flows/all_integrations.ts";

/** Each trigger type with its older names. */
const TRIGGERS: readonly (readonly [type: string, ...aliases: string[]])[] = [
  ["amqp.RealtimeTrigger"],
  ["amqp.Trigger"],
  ["aws.s3.Trigger"],
  ["aws.sqs.RealtimeTrigger"],
  ["aws.sqs.Trigger"],
  ["azure.storage.adls.Trigger"],
  ["azure.storage.blob.Trigger"],
  ["core.http.Trigger", "fs.http.Trigger"],
  ["core.trigger.Flow", "core.models.triggers.types.Flow"],
  ["core.trigger.Schedule", "core.models.triggers.types.Schedule"],
  ["core.trigger.ScheduleOnDates", "core.models.triggers.types.ScheduleOnDates"],
  ["core.trigger.Webhook", "core.models.triggers.types.Webhook"],
  ...["ftp", "ftps", "local", "nfs", "sftp"].map((protocol) => [`fs.${protocol}.Trigger`] as const),
  ...["tcp", "udp"].map((protocol) => [`fs.${protocol}.RealtimeTrigger`] as const),
  ["gcp.bigquery.Trigger"],
  ["gcp.gcs.Trigger"],
  ["gcp.pubsub.RealtimeTrigger"],
  ["gcp.pubsub.Trigger"],
  ["googleworkspace.drive.FileCreatedTrigger"],
  ["googleworkspace.sheets.SheetModifiedTrigger"],
  ...["clickhouse", "dremio", "druid", "duckdb", "mariadb", "mysql", "pinot"].map((system) =>
    [`jdbc.${system}.Trigger`] as const
  ),
  ["jdbc.postgresql.Trigger", "jdbc.postgres.Trigger"],
  ...["redshift", "snowflake", "sqlite", "sqlserver", "trino"].map((system) =>
    [`jdbc.${system}.Trigger`] as const
  ),
  ["kafka.RealtimeTrigger"],
  ["kafka.Trigger"],
  ["kestra.triggers.ScheduleMonitor"],
  ["minio.Trigger"],
  ["mongodb.Trigger"],
  ["mqtt.RealtimeTrigger"],
  ["mqtt.Trigger"],
  ["nats.core.RealtimeTrigger", "nats.RealtimeTrigger"],
  ["nats.core.Trigger", "nats.Trigger"],
  ["notifications.mail.MailReceivedTrigger", "email.MailReceivedTrigger"],
  ["notifications.mail.RealTimeTrigger", "email.RealTimeTrigger"],
  ["redis.list.RealtimeTrigger", "redis.RealtimeTrigger", "redis.RealtimeTriggerList"],
  ["redis.list.Trigger", "redis.TriggerList"],
  ["slack.app.core.Trigger", "slack.app.Trigger"],
];

for (const [type, ...aliases] of TRIGGERS) {
  Deno.test(`createTriggerCatalog() finds the trigger ${type} by all its names`, () => {
    const catalog = createTriggerCatalog();
    assertEquals(
      [type, ...aliases].map((name) => catalog.find(name)?.type),
      [type, ...aliases].map(() => type),
    );
  });
}

/** Conditions whose older names end in `Condition`. */
const RENAMED_CONDITIONS = [
  ...[
    "DateTimeBetween",
    "DayWeek",
    "DayWeekInMonth",
    "ExecutionFlow",
    "ExecutionLabels",
    "ExecutionNamespace",
  ],
  ...["ExecutionOutputs", "ExecutionStatus", "Expression", "HasRetryAttempt", "Not", "Or", "PublicHoliday"],
  ...["TimeBetween", "Weekend"],
];

for (const name of RENAMED_CONDITIONS) {
  Deno.test(`createTriggerCatalog() finds the condition ${name} by all its names`, () => {
    const catalog = createTriggerCatalog();
    const names = [
      `core.condition.${name}`,
      `core.condition.${name}Condition`,
      `core.models.conditions.types.${name}Condition`,
    ];
    assertEquals(
      names.map((alias) => catalog.findCondition(alias)?.type),
      names.map(() => `core.condition.${name}`),
    );
  });
}

/** Conditions that have kept their names. */
const KEPT_CONDITIONS = ["FlowCondition", "FlowNamespaceCondition", "MultipleCondition"];

for (const name of KEPT_CONDITIONS) {
  Deno.test(`createTriggerCatalog() finds the condition ${name} by all its names`, () => {
    const catalog = createTriggerCatalog();
    const names = [`core.condition.${name}`, `core.models.conditions.types.${name}`];
    assertEquals(
      names.map((alias) => catalog.findCondition(alias)?.type),
      names.map(() => `core.condition.${name}`),
    );
  });
}

Deno.test("createTriggerCatalog() has no type beside those of this test", () => {
  const catalog = createTriggerCatalog();
  assertEquals(catalog.list().map(({ type }) => type), TRIGGERS.map(([type]) => type));
  const conditions = [...RENAMED_CONDITIONS, ...KEPT_CONDITIONS].map((name) => `core.condition.${name}`);
  assertEquals(catalog.listConditions().map(({ type }) => type), conditions.sort());
});

Deno.test("createTriggerCatalog() keeps triggers and conditions apart, and prototypes out", () => {
  const catalog = createTriggerCatalog();
  assertEquals(catalog.find("core.condition.Not"), undefined);
  assertEquals(catalog.findCondition("core.trigger.Webhook"), undefined);
  assertEquals([catalog.find("constructor"), catalog.findCondition("toString")], [undefined, undefined]);
});

Deno.test("createTriggerCatalog() types keep to the rules of declarations", () => {
  const catalog = createTriggerCatalog();
  assertEquals(declarationProblems([...catalog.list(), ...catalog.listConditions()]), []);
});
