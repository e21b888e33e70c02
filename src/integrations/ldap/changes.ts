/** `ldap.Add`, `ldap.Modify` and `ldap.Delete`: changes of files of LDIF. */
import { Buffer } from "node:buffer";
import { dynamicProperty } from "../../model/flows/schema.ts";
import { defineTask, type TaskContext, type TaskDefinition } from "../../model/tasks/task_definition.ts";
import { linesOf, readTextFile } from "../row_files.ts";
import { CONNECTION, type LdapClient, withLdap, wordsOf } from "./connection.ts";
import type { LdapPackage } from "./ldap_package.ts";
import { type LdifRecord, type LdifValue, readLdif, textOf } from "./ldif.ts";

type Attribute = InstanceType<LdapPackage["Attribute"]>;

/** A kind of change. */
interface Kind {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** Begins the names of the metrics. */
  readonly metric: string;
  readonly operation: string;
  /** Applies a record. @throws Error it is malformed, or refused */
  readonly apply: (record: LdifRecord, client: LdapClient, ldap: LdapPackage) => Promise<void>;
}

const FAILURES = "A record that is refused is logged as an error, and the next one follows.";

/** Adds the entries of files. */
export const ldapAdd = changeTask({
  name: "Add",
  title: "Add entries to a directory of LDAP",
  description: `Adds the entries of files of LDIF to a directory. ${FAILURES}`,
  metric: "additions",
  operation: "add",
  apply: addEntry,
});

/** Deletes the entries of files. */
export const ldapDelete = changeTask({
  name: "Delete",
  title: "Delete entries of a directory of LDAP",
  description: `Deletes the entries of a directory whose names files of LDIF have. ${FAILURES}`,
  metric: "deletions",
  operation: "delete",
  apply: async ({ dn }, client) => await client.del(dn),
});

/** Applies the changes of files. */
export const ldapModify = changeTask({
  name: "Modify",
  title: "Change entries of a directory of LDAP",
  description: `Applies the records of files of LDIF with \`changetype\` to a directory. ${FAILURES}`,
  metric: "modifications",
  operation: "change",
  apply: applyChange,
});

function changeTask({ name, title, description, metric, operation, apply }: Kind): TaskDefinition {
  const tags = { origin: name };
  return defineTask({
    type: `ldap.${name}`,
    title,
    description,
    properties: {
      ...CONNECTION,
      inputs: dynamicProperty("list", "Storage URIs of the files of LDIF.", {
        required: true,
        items: { type: "string", description: "A storage URI." },
      }),
    },
    metrics: {
      [`${metric}.requested`]: { type: "counter", description: "Number of records." },
      [`${metric}.done`]: { type: "counter", description: "Number of records that were not refused." },
    },
    examples: [{
      title,
      yaml: `id: change
type: io.svc.plugin.ldap.${name}
hostname: ldap.example.com
port: 389
userDn: cn=admin,dc=example,dc=com
password: "{{ secret('LDAP_PASSWORD') }}"
inputs: ["{{ inputs.file }}"]`,
    }],
    async run(context) {
      let [requested, done] = [0, 0];
      await withLdap(context, `${operation} entries`, async (client, ldap) => {
        for await (const record of records(context)) {
          requested++;
          try {
            await apply(record, client, ldap);
            done++;
          } catch (error) {
            if (!client.isConnected) throw error;
            context.log("ERROR", `Cannot ${operation} "${record.dn}": ${wordsOf(error)}`);
          }
        }
      });
      context.metric(`${metric}.requested`, requested, { tags });
      context.metric(`${metric}.done`, done, { tags });
    },
  });
}

async function* records(context: TaskContext): AsyncGenerator<LdifRecord> {
  const { inputs } = context.properties;
  for (const uri of Array.isArray(inputs) ? inputs : []) {
    yield* readLdif(linesOf(readTextFile(await context.fetchFile(String(uri).trim()))));
  }
}

async function addEntry({ dn, lines }: LdifRecord, client: LdapClient, ldap: LdapPackage): Promise<void> {
  const values = new Map<string, LdifValue[]>();
  for (const line of lines) {
    if (line) values.getOrInsertComputed(line.name, () => []).push(line.value);
  }
  await client.add(dn, [...values].map(([type, each]) => attributeOf(ldap, type, each)));
}

function attributeOf(ldap: LdapPackage, type: string, values: readonly LdifValue[]): Attribute {
  const isText = values.every((value) => typeof value === "string");
  return new ldap.Attribute({
    type,
    values: isText ? values.map(textOf) : values.map((value) => Buffer.from(value as Uint8Array)),
  });
}

async function applyChange(record: LdifRecord, client: LdapClient, ldap: LdapPackage): Promise<void> {
  switch (record.changeType) {
    case "add":
      return await addEntry(record, client, ldap);
    case "delete":
      return await client.del(record.dn);
    case "modify":
      return await client.modify(record.dn, changesOf(record, ldap));
    case "modrdn":
    case "moddn":
      return await client.modifyDN(record.dn, newNameOf(record));
    default:
      throw new Error(`the changetype "${record.changeType}" is not known`);
  }
}

/** Each change is a line `add: mail`, the lines of its values, and a dash. */
function changesOf({ lines }: LdifRecord, ldap: LdapPackage) {
  const changes: InstanceType<LdapPackage["Change"]>[] = [];
  let part: { readonly name: string; readonly value: LdifValue }[] = [];
  for (const line of [...lines, undefined]) {
    if (line) {
      part.push(line);
      continue;
    }
    const [head, ...values] = part;
    part = [];
    if (!head) continue;
    changes.push(
      new ldap.Change({
        operation: operationOf(head.name),
        modification: attributeOf(ldap, textOf(head.value), values.map(({ value }) => value)),
      }),
    );
  }
  return changes;
}

function operationOf(name: string): "add" | "delete" | "replace" {
  if (name === "add" || name === "delete" || name === "replace") return name;
  throw new Error(`the change "${name}" must be add, delete or replace`);
}

function newNameOf({ dn, lines }: LdifRecord): string {
  const valueOf = (name: string) => {
    const line = lines.find((each) => each?.name.toLowerCase() === name);
    return line && textOf(line.value);
  };
  const name = valueOf("newrdn");
  if (name === undefined) throw new Error("newrdn is missing");
  const comma = /(?<!\\),/.exec(dn)?.index ?? dn.length;
  return [name, valueOf("newsuperior") ?? dn.slice(comma + 1)].filter((part) => part !== "").join(",");
}
