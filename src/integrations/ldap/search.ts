/** `ldap.Search`. */
import { systemClock } from "../../base/time/clock.ts";
import { dynamicChoice, dynamicProperty, dynamicText } from "../../model/flows/schema.ts";
import { limitedContent } from "../../model/ports/storage.ts";
import { defineTask, optionalText, type TaskContext } from "../../model/tasks/task_definition.ts";
import { writePieces } from "../row_files.ts";
import { CONNECTION, type LdapClient, withLdap } from "./connection.ts";
import { ldifText, type LdifValue } from "./ldif.ts";

const DEFAULT_PAGE_SIZE = 500;
const SCOPES = new Map(
  [["BASE", "base"], ["ONE", "one"], ["SUB", "sub"], ["SUBORDINATE_SUBTREE", "children"]] as const,
);
/** Attributes whose values are no texts. */
const BINARY_ATTRIBUTES = [
  ..."objectGUID objectSid msExchMailboxGuid jpegPhoto thumbnailPhoto photo audio userCertificate".split(" "),
  ..."userCertificate;binary cACertificate cACertificate;binary userSMIMECertificate userPKCS12".split(" "),
];

/** Outputs: `uri` and `size`. */
export const ldapSearch = defineTask({
  type: "ldap.Search",
  title: "Search a directory of LDAP",
  description: "Searches a directory and stores the entries as LDIF. All entries are read, page by page.",
  properties: {
    ...CONNECTION,
    baseDn: dynamicText("Entry where the search begins.", { default: "ou=system" }),
    filter: dynamicText("Filter of the search; line breaks and blanks after them are left out.", {
      default: "(objectclass=*)",
    }),
    attributes: dynamicProperty(
      "list",
      "Attributes to read: `*` is all of users, `+` those of the server, `1.1` none.",
      {
        default: ["*"],
        items: { type: "string", description: "Name of an attribute." },
      },
    ),
    sub: dynamicChoice([...SCOPES.keys()], "SUB", "Which entries below the first one are searched."),
    sizeLimit: dynamicProperty("integer", "Most entries; default is all.", { minimum: 0 }),
    pageSize: dynamicProperty("integer", "Entries of a page.", { default: DEFAULT_PAGE_SIZE }),
  },
  outputs: {
    uri: { type: "string", description: "Storage URI of the entries as LDIF." },
    size: { type: "integer", description: "Number of entries." },
  },
  metrics: {
    "entries.found": { type: "counter", description: "Number of entries." },
    "search.mean.time": { type: "timer", description: "Length of the search." },
  },
  examples: [{
    title: "Search for the users of a directory",
    yaml: `id: search
type: io.svc.plugin.ldap.Search
hostname: ldap.example.com
port: 389
userDn: cn=admin,dc=example,dc=com
password: "{{ secret('LDAP_PASSWORD') }}"
baseDn: ou=people,dc=example,dc=com
filter: (objectClass=person)
attributes: [cn, mail]`,
  }],
  async run(context) {
    const beganAt = systemClock.now();
    const path = `${await context.directory()}/entries.ldif`;
    let size = 0;
    const texts = async function* (client: LdapClient) {
      for await (const text of entryTexts(context, client)) {
        size++;
        yield text;
      }
    };
    await withLdap(
      context,
      `search "${context.properties.baseDn}"`,
      (client) => writePieces(path, limitedContent(texts(client), context.maxFileBytes), context.signal),
    );
    const tags = { origin: "Search" };
    context.metric("entries.found", size, { tags });
    context.metric("search.mean.time", systemClock.now() - beganAt, { type: "timer", tags });
    return { uri: await context.storeFile(path), size };
  },
});

async function* entryTexts({ properties }: TaskContext, client: LdapClient): AsyncGenerator<string> {
  const { baseDn, filter, attributes, sub, sizeLimit, pageSize } = properties;
  const limit = Number(optionalText(sizeLimit) ?? 0) || Infinity;
  const names = Array.isArray(attributes) ? attributes.map(String) : [];
  const pages = client.searchPaginated(String(baseDn), {
    filter: String(filter).replace(/\n\s*/g, "").trim(),
    scope: SCOPES.get(String(sub) as "SUB"),
    attributes: names.includes("0.0") ? [] : names,
    explicitBufferAttributes: BINARY_ATTRIBUTES,
    paged: { pageSize: Math.min(Number(pageSize) > 0 ? Number(pageSize) : DEFAULT_PAGE_SIZE, limit) },
  });
  let count = 0;
  for await (const { searchEntries } of pages) {
    for (const { dn, ...values } of searchEntries) {
      yield ldifText(dn, Object.entries(values).map(([name, value]) => [name, valuesOf(value)] as const));
      if (++count >= limit) return;
    }
  }
}

function valuesOf(value: LdifValue | readonly LdifValue[]): readonly LdifValue[] {
  return typeof value === "string" || value instanceof Uint8Array ? [value] : value;
}
