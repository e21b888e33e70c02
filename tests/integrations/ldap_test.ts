/** The types of LDAP against OpenLDAP, and the text form of entries. */
import { Buffer } from "node:buffer";
import { assertEquals, assertMatch, assertRejects } from "@std/assert";
import type { JsonObject } from "../../src/base/json.ts";
import { ldapAdd, ldapDelete, ldapModify } from "../../src/integrations/ldap/changes.ts";
import { type LdifRecord, ldifText, readLdif } from "../../src/integrations/ldap/ldif.ts";
import { ldapSearch } from "../../src/integrations/ldap/search.ts";
import type { TaskDefinition } from "../../src/model/tasks/task_definition.ts";
import { type DefinitionRun, runDefinition } from "../support/flows/definition_run.ts";
import {
  type DirectoryServer,
  hasDirectoryServer,
  withDirectoryServer,
} from "../support/servers/directory_server.ts";

const ignore = !hasDirectoryServer();

const FILE = "kestra:///demo/entries.ldif";
const BASE = "dc=example,dc=com";

function connection({ port, userDn, password }: DirectoryServer): JsonObject {
  return { hostname: "127.0.0.1", port, userDn, password };
}

async function change(definition: TaskDefinition, server: DirectoryServer, ldif: string) {
  return await runDefinition(definition, { ...connection(server), inputs: [FILE] }, {
    files: { [FILE]: ldif },
  });
}

async function search(server: DirectoryServer, properties: JsonObject): Promise<string | undefined> {
  const { outputs, files } = await runDefinition(ldapSearch, {
    ...connection(server),
    baseDn: BASE,
    ...properties,
  });
  return files.get(String(outputs.uri));
}

const ROOT = `version: 1

# the first entry
dn: ${BASE}
objectClass: dcObject
objectClass: organization
dc: example
o: Exam
 ple

`;

function person(number: number): string {
  return `dn: cn=p${number},${BASE}\nobjectClass: inetOrgPerson\nsn: P\ncn: p${number}\nemployeeNumber: ${number}\n\n`;
}

Deno.test({ name: "entries of a directory are added, searched, changed and deleted", ignore }, async () => {
  await withDirectoryServer(async (server) => {
    const people = Array.from({ length: 12 }, (_each, index) => person(index)).join("");
    const { metrics, logs } = await change(
      ldapAdd,
      server,
      `${ROOT}${people}${person(0)}dn: cn=x,o=other\nobjectClass: person\n`,
    );
    assertEquals(metrics, { "additions.requested": 15, "additions.done": 13 });
    assertEquals(logs.length, 2);
    assertMatch(logs[0] ?? "", /^ERROR Cannot add "cn=p0,dc=example,dc=com": .*Exists/);

    // Values that are no plain text, and values that are no text at all.
    const photo = new Uint8Array([0xff, 0xd8, 0xff, 0]).toBase64();
    const changed = await change(
      ldapModify,
      server,
      `dn: cn=p1,${BASE}\nchangetype: modify\nreplace: sn\nsn:: ${
        new TextEncoder().encode("Ünal").toBase64()
      }\n-\n` +
        `add: jpegPhoto\njpegPhoto:: ${photo}\n-\ndelete: employeeNumber\n\n` +
        `dn: cn=p2,${BASE}\nchangetype: modrdn\nnewrdn: cn=q2\ndeleteoldrdn: 1\n\n` +
        `dn: cn=p3,${BASE}\nchangetype: delete\n`,
    );
    assertEquals([changed.logs, changed.metrics], [[], {
      "modifications.requested": 3,
      "modifications.done": 3,
    }]);
    assertEquals(
      await search(server, {
        filter: "(&\n  (objectClass=person)\n  (cn=p1))",
        attributes: ["sn", "jpegPhoto", "employeeNumber"],
      }),
      `dn: cn=p1,${BASE}\nsn:: ${new TextEncoder().encode("Ünal").toBase64()}\njpegPhoto:: ${photo}\n\n`,
    );

    // The server gives at most five entries at a time.
    const numbers = (text: string | undefined) =>
      [...text?.matchAll(/^cn: (.*)$/gm) ?? []].map(([, name]) => name);
    assertEquals(
      numbers(await search(server, { filter: "(cn=*)", pageSize: 4 })).toSorted().join(" "),
      "p0 p1 p10 p11 p4 p5 p6 p7 p8 p9 q2",
    );
    assertEquals(numbers(await search(server, { filter: "(cn=*)", sizeLimit: 3 })).length, 3);
    assertEquals(await search(server, { sub: "BASE", attributes: ["o"] }), `dn: ${BASE}\no: Example\n\n`);

    const deleted = await change(ldapDelete, server, `dn: cn=p4,${BASE}\n\ndn: cn=p4,${BASE}\n`);
    assertEquals(deleted.metrics, { "deletions.requested": 2, "deletions.done": 1 });
    assertMatch(deleted.logs[0] ?? "", /^ERROR Cannot delete "cn=p4,dc=example,dc=com": .*NoSuchObject/);

    await refusals(server);
  });
});

async function refusals(server: DirectoryServer): Promise<void> {
  const rows: readonly (readonly [properties: JsonObject, message: RegExp])[] = [
    [{ password: "wrong" }, /^Cannot search "dc=example,dc=com" at "127\.0\.0\.1": .*InvalidCredentials/],
    [{ password: "" }, /: there is no password for userDn$/],
    [{ filter: "(cn=" }, /^Cannot search "dc=example,dc=com" at "127\.0\.0\.1": /],
    [{ baseDn: "o=none" }, /^Cannot search "o=none" at "127\.0\.0\.1": .*NoSuchObject/],
    [{ port: server.tlsPort, sslOptions: {} }, /^Cannot search .*: .*self.signed|certificate/i],
  ];
  for (const [properties, message] of rows) {
    const error = await assertRejects(() => search(server, properties), Error);
    assertMatch(error.message, message);
    assertEquals(error.message.includes(server.password), false);
  }
  const options = { insecureTrustAllCertificates: true };
  const text = await search(server, {
    port: server.tlsPort,
    sslOptions: options,
    sub: "BASE",
    attributes: ["dc"],
  });
  assertEquals(text, `dn: ${BASE}\ndc: example\n\n`);
}

Deno.test("a stop ends a search at once", async () => {
  // It accepts connections, and never responds.
  using silent = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const accepted = silent.accept();
  const controller = new AbortController();
  const run = runDefinition(ldapSearch, {
    hostname: "127.0.0.1",
    port: silent.addr.port,
    userDn: "a",
    password: "b",
  }, {
    signal: controller.signal,
  });
  using connection = await accepted;
  await connection.read(new Uint8Array(10));
  controller.abort(new Error("Killed"));
  await assertRejects(() => run, Error, "Killed");
});

const MESSAGE = 0x30,
  INTEGER = 2,
  TEXT = 4,
  ENUMERATION = 0x0a,
  SET = 0x31,
  ENTRY = 0x64,
  DONE = 0x65,
  ADDED = 0x69;

/** An element of BER. */
function element(tag: number, ...parts: readonly Uint8Array[]): Uint8Array {
  const content = Buffer.concat(parts);
  if (content.length < 128) return Buffer.concat([Buffer.from([tag, content.length]), content]);
  const head = Buffer.from([tag, 0x84, 0, 0, 0, 0]);
  head.writeUInt32BE(content.length, 2);
  return Buffer.concat([head, content]);
}

function text(value: string): Uint8Array {
  return element(TEXT, Buffer.from(value));
}

function message(id: number, ...parts: readonly Uint8Array[]): Uint8Array {
  return element(MESSAGE, element(INTEGER, Buffer.from([id])), ...parts);
}

function entry(id: number, values: readonly string[] = []): Uint8Array {
  const attribute = element(MESSAGE, text("a"), element(SET, Buffer.concat(values.map(text))));
  return message(id, element(ENTRY, text(""), element(MESSAGE, ...values.length > 0 ? [attribute] : [])));
}

function done(id: number): Uint8Array {
  return message(id, element(DONE, element(ENUMERATION, Buffer.from([0])), text(""), text("")));
}

/** Runs a task whose server responds with bytes. */
async function runAt(
  definition: TaskDefinition,
  given: JsonObject,
  response: (id: number) => readonly Uint8Array[],
  files: Readonly<Record<string, string>> = {},
): Promise<DefinitionRun> {
  using server = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const serve = async () => {
    using connection = await server.accept();
    const request = new Uint8Array(1000);
    await connection.read(request);
    const writer = connection.writable.getWriter();
    const id = request[Buffer.from(request).indexOf(Buffer.from([INTEGER, 1])) + 2] ?? 0;
    for (const part of response(id)) await writer.write(part).catch(() => {});
    while (await connection.read(request).catch(() => null) !== null);
  };
  const served = serve();
  try {
    return await runDefinition(
      definition,
      { hostname: "127.0.0.1", port: server.addr.port, ...given },
      { files },
    );
  } finally {
    await served;
  }
}

async function searchIn(response: (id: number) => readonly Uint8Array[]): Promise<string | undefined> {
  const { outputs, files } = await runAt(ldapSearch, { baseDn: BASE }, response);
  return files.get(String(outputs.uri));
}

Deno.test("an entry is added with any number of values of an attribute", async () => {
  const ldif = `dn: cn=a\n${"m: x\n".repeat(300_000)}`;
  const added = (
    id: number,
  ) => [message(id, element(ADDED, element(ENUMERATION, Uint8Array.of(0)), text(""), text("")))];
  const { metrics } = await runAt(ldapAdd, { inputs: [FILE] }, added, { [FILE]: ldif });
  assertEquals(metrics, { "additions.requested": 1, "additions.done": 1 });
});

Deno.test("a search reads any number of messages of one chunk, and messages of any chunks", async () => {
  const count = 20_000;
  assertEquals(
    await searchIn((id) => [Buffer.concat([...Array(count).fill(entry(id)), done(id)])]),
    "dn: \n\n".repeat(count),
  );
  const bytes = (id: number) => Buffer.concat([entry(id, ["b"]), entry(id, ["c"]), done(id)]);
  assertEquals(
    await searchIn((id) => Array.from(bytes(id), (byte) => Uint8Array.of(byte))),
    "dn: \na: b\n\ndn: \na: c\n\n",
  );
});

const NEGATIVE = Buffer.from("0484ffffffff", "hex");
const BEYOND = Buffer.from("04840000ffff", "hex");
const HOSTILE: readonly (readonly [what: string, bytes: (id: number) => Uint8Array, message: string])[] = [
  [
    "a message of 512 MiB",
    () => Buffer.from([MESSAGE, 0x84, 0x20, 0, 0, 0]),
    "536870912 bytes, more than 16777216",
  ],
  ["bytes that are no message", () => Buffer.from("HTTP/1.1 400\r\n"), "malformed"],
  ["a length of no bytes", () => Buffer.from([MESSAGE, 0x80]), "malformed"],
  ["a message without a number", () => element(MESSAGE), "malformed"],
  ["a value with a negative length", (id) => message(id, element(ENTRY, NEGATIVE)), "malformed"],
  ["a value that ends behind its message", (id) => message(id, element(ENTRY, BEYOND)), "malformed"],
  [
    "attributes that end in a tag",
    (id) => message(id, element(ENTRY, text(""), element(MESSAGE, Uint8Array.of(4)))),
    "malformed",
  ],
  ["too many values", (id) => entry(id, Array(250_000).fill("")), "more than 250000 values"],
  ["too many entries", (id) => Buffer.concat(Array(100_001).fill(entry(id))), "use a smaller pageSize"],
];

for (const [what, bytes, expected] of HOSTILE) {
  Deno.test(`a search fails for ${what}`, async () => {
    const error = await assertRejects(() => searchIn((id) => [bytes(id)]), Error, expected);
    assertMatch(error.message, /^Cannot search "dc=example,dc=com" at "127\.0\.0\.1": /);
  });
}

async function records(ldif: string): Promise<LdifRecord[]> {
  const found: LdifRecord[] = [];
  const lines = async function* () {
    yield* ldif.split("\n");
  };
  for await (const record of readLdif(lines())) found.push(record);
  return found;
}

Deno.test("ldifText() writes what readLdif() reads", async () => {
  const bytes = new Uint8Array([0xff, 0]);
  const text = ldifText("cn=Ü", [["a", ["plain", " blank", "", "x:y", ":z"]], ["b", [bytes]]]);
  assertMatch(text, /^dn:: .*\na: plain\na:: IGJsYW5r\na: \na: x:y\na:: Ono=\nb:: \/wA=\n\n$/);
  const [record] = await records(text);
  assertEquals(record?.dn, "cn=Ü");
  assertEquals(record?.lines.map((line) => line?.value), ["plain", " blank", "", "x:y", ":z", bytes]);
});

Deno.test("ldifText() writes an attribute with any number of values", () => {
  const count = 200_000;
  assertEquals(ldifText("cn=a", [["b", Array(count).fill("c")]]), `dn: cn=a\n${"b: c\n".repeat(count)}\n`);
});

const MALFORMED: readonly (readonly [text: string, message: string])[] = [
  ["cn: a", 'a record begins with "cn", not "dn"'],
  ["dn: a\nno colon", 'the line "no colon" has no colon'],
  ["dn: a\njpegPhoto:< file:///etc/passwd", '"jpegPhoto" names a file, which is not read'],
  ["dn: a\nb:: ???", 'the value of "b" is no Base64'],
];

for (const [text, message] of MALFORMED) {
  Deno.test(`readLdif() refuses ${JSON.stringify(text)}`, async () => {
    await assertRejects(() => records(text), Error, message);
  });
}
