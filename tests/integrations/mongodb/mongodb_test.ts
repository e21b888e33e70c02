/** The types of MongoDB against a server of its protocol. */
import { assertEquals, assertMatch, assertRejects } from "@std/assert";
import { BSON } from "bson";
import { Double, type JsonObject, parseJson } from "../../../src/base/json.ts";
import { bulk, load } from "../../../src/integrations/mongodb/bulk.ts";
import { aggregate, find, mongodbTrigger } from "../../../src/integrations/mongodb/find.ts";
import { deleteDocuments, insertOne, update } from "../../../src/integrations/mongodb/write.ts";
import { pollDefinition, runDefinition } from "../../support/flows/definition_run.ts";
import { freePort } from "../../support/processes/free_port.ts";
import { SELF_SIGNED_CERT, SELF_SIGNED_KEY } from "../../support/processes/self_signed.ts";
import { until } from "../../support/processes/machine_processes.ts";
import { MongoServer } from "../../support/servers/mongo_server.ts";

function placeOf(server: MongoServer, query?: string): JsonObject {
  return { connection: { uri: server.uri(query) }, database: "shop", collection: "orders" };
}

/** Documents of the collection in extended JSON, without their ids. */
function storedIn(server: MongoServer): unknown[] {
  return (server.collections.get("orders") ?? []).map((document) => {
    const { _id, ...rest } = BSON.EJSON.serialize(document, { relaxed: false });
    return rest;
  });
}

const FILE = "kestra:///demo/rows.ion";

Deno.test("InsertOne stores values with their types, and gives the document an id", async () => {
  await using server = new MongoServer();
  const document = {
    int: 1,
    long: 2 ** 40,
    double: new Double(2),
    at: { $date: "2024-05-06T07:08:09Z" },
    deep: { list: [{ $numberDecimal: "1.10" }], null: null },
  };
  const { outputs, metrics } = await runDefinition(insertOne, { ...placeOf(server), document });
  assertMatch(String(outputs.insertedId), /^[0-9a-f]{24}$/);
  assertEquals([outputs.wasAcknowledged, metrics["inserted.count"]], [true, 1]);
  assertEquals(storedIn(server), [{
    int: { $numberInt: "1" },
    long: { $numberLong: "1099511627776" },
    double: { $numberDouble: "2.0" },
    at: { $date: { $numberLong: "1714979289000" } },
    deep: { list: [{ $numberDecimal: "1.10" }], null: null },
  }]);
  const id = "60930c39a982931c20ef6cd6";
  const text = `{"_id": {"$oid": "${id}"}, "name": "Ada"}`;
  const again = await runDefinition(insertOne, { ...placeOf(server), document: text });
  assertEquals(again.outputs.insertedId, id);
  await assertRejects(
    () => runDefinition(insertOne, { ...placeOf(server), document: "[1]" }),
    Error,
    "Invalid document: it must be a map, or its JSON",
  );
});

/** A server whose collection has this number of documents. */
function filled(count: number): MongoServer {
  const server = new MongoServer();
  server.collections.set(
    "orders",
    Array.from({ length: count }, (_each, n) => ({ _id: n, n, odd: n % 2 === 1 })),
  );
  return server;
}

Deno.test("Find reads all batches of a cursor into an output or a file", async () => {
  await using server = filled(2_100);
  const stored = await runDefinition(find, {
    ...placeOf(server),
    filter: { n: { $gt: 9 } },
    projection: '{"n": 1}',
    sort: { n: -1 },
    store: true,
  });
  const rows = [...stored.files.values()].join("").trim().split("\n");
  assertEquals([stored.outputs.size, rows.length, stored.metrics.records], [2_090, 2_090, 2_090]);
  assertEquals(parseJson(rows[0] ?? ""), { _id: 10, n: 10, odd: false });
  assertEquals(server.commands.map((command) => Object.keys(command)[0]), ["find", "getMore", "getMore"]);
  const { projection, sort } = BSON.EJSON.serialize(server.commands[0] ?? {});
  assertEquals([projection, sort], [{ n: 1 }, { n: -1 }]);
  const { outputs } = await runDefinition(find, { ...placeOf(server), filter: "{}", skip: 1, limit: 2 });
  assertEquals(outputs, { rows: [{ _id: 1, n: 1, odd: true }, { _id: 2, n: 2, odd: false }], size: 2 });
});

Deno.test("Find gives each type of BSON a value of flows", async () => {
  await using server = new MongoServer();
  server.collections.set("orders", [{
    _id: new BSON.ObjectId("60930c39a982931c20ef6cd6"),
    double: new BSON.Double(2),
    nan: new BSON.Double(NaN),
    long: BSON.Long.fromString("9007199254740993"),
    decimal: new BSON.Decimal128("1.25"),
    at: new Date("2024-05-06T07:08:09.120Z"),
    second: new Date("2024-05-06T07:08:09Z"),
    bytes: new BSON.Binary(new Uint8Array([1, 2])),
    pattern: new BSON.BSONRegExp("^a", "i"),
    list: [null, true, { "__proto__x": "y" }],
  }]);
  const { outputs } = await runDefinition(find, placeOf(server));
  assertEquals(outputs.rows, [{
    _id: "60930c39a982931c20ef6cd6",
    double: new Double(2),
    nan: "NaN",
    long: 9007199254740993n,
    decimal: new Double(1.25),
    at: "2024-05-06T07:08:09.120Z",
    second: "2024-05-06T07:08:09Z",
    bytes: "AQI=",
    pattern: { $regularExpression: { pattern: "^a", options: "i" } },
    list: [null, true, { "__proto__x": "y" }],
  }]);
});

Deno.test("Aggregate runs a pipeline; its limits are those of the properties", async () => {
  await using server = filled(5);
  const pipeline = [{ $match: { odd: true } }];
  const { outputs } = await runDefinition(aggregate, {
    ...placeOf(server),
    pipeline,
    batchSize: 1,
    maxTimeMs: 5,
  });
  assertEquals(outputs, { rows: [{ _id: 1, n: 1, odd: true }, { _id: 3, n: 3, odd: true }], size: 2 });
  const { allowDiskUse, maxTimeMS, cursor } = BSON.EJSON.serialize(server.commands[0] ?? {});
  assertEquals([allowDiskUse, maxTimeMS, cursor], [true, 5, { batchSize: 1 }]);
  const stored = await runDefinition(aggregate, {
    ...placeOf(server),
    pipeline: JSON.stringify(pipeline),
    store: "STORE",
  });
  assertEquals([stored.outputs.size, stored.outputs.rows], [2, undefined]);
});

Deno.test("Trigger starts for documents only", async () => {
  await using server = filled(3);
  const found = await pollDefinition(mongodbTrigger, { ...placeOf(server), filter: { odd: true } });
  assertEquals([found.isFound, found.outputs.size], [true, 1]);
  assertEquals(
    (await pollDefinition(mongodbTrigger, { ...placeOf(server), filter: { n: 9 } })).isFound,
    false,
  );
});

const UPDATES: readonly (readonly [properties: JsonObject, counts: [number, number], n1: unknown])[] = [
  [{ filter: { n: { $gt: 0 } }, document: { $set: { x: 1 } } }, [1, 1], { n: 1, odd: true, x: 1 }],
  [{ filter: {}, document: '{"$set": {"x": 1}}', operation: "UPDATE_MANY" }, [3, 3], {
    n: 1,
    odd: true,
    x: 1,
  }],
  [{ filter: { n: 1 }, document: { x: 2 }, operation: "REPLACE_ONE" }, [1, 1], { x: 2 }],
];

for (const [properties, [matchedCount, modifiedCount], expected] of UPDATES) {
  Deno.test(`Update changes documents: ${JSON.stringify(properties)}`, async () => {
    await using server = filled(3);
    const { outputs, metrics } = await runDefinition(update, { ...placeOf(server), ...properties });
    assertEquals(outputs, { wasAcknowledged: true, matchedCount, modifiedCount });
    assertEquals(metrics["updated.count"], modifiedCount);
    const { _id, ...found } = BSON.EJSON.serialize(server.collections.get("orders")?.[1] ?? {});
    assertEquals(found, expected);
  });
}

Deno.test("Update refuses a change that would replace a document", async () => {
  await using server = filled(1);
  const place = { ...placeOf(server), filter: {} };
  await assertRejects(() => runDefinition(update, { ...place, document: { x: 1 } }), Error, "$set");
  const replacement = { ...place, document: { $set: {} }, operation: "REPLACE_ONE" };
  await assertRejects(() => runDefinition(update, replacement), Error, "use UPDATE_ONE");
  assertEquals(server.commands, []);
});

Deno.test("Delete deletes one document or all", async () => {
  await using server = filled(5);
  const one = await runDefinition(deleteDocuments, { ...placeOf(server), filter: { odd: true } });
  assertEquals([one.outputs, server.collections.get("orders")?.length], [
    { wasAcknowledged: true, deletedCount: 1 },
    4,
  ]);
  const all = await runDefinition(deleteDocuments, { ...placeOf(server), operation: "DELETE_MANY" });
  assertEquals([all.outputs.deletedCount, all.metrics["deleted.count"]], [4, 4]);
});

Deno.test("Load inserts rows in requests of a size, with ids of a field", async () => {
  await using server = new MongoServer();
  const rows = Array.from({ length: 5 }, (_each, n) => `{"key": "60930c39a982931c20ef6cd${n}", "n": ${n}.0}`);
  const { outputs, metrics } = await runDefinition(load, {
    ...placeOf(server),
    from: FILE,
    chunk: 2,
    idKey: "key",
  }, { files: { [FILE]: rows.join("\n") } });
  assertEquals(outputs, { size: 5, insertedCount: 5, matchedCount: 0, modifiedCount: 0, deletedCount: 0 });
  assertEquals(metrics, { records: 5, "requests.count": 3 });
  assertEquals(storedIn(server)[4], { n: { $numberDouble: "4.0" } });
  assertEquals(String(server.collections.get("orders")?.[4]?._id), "60930c39a982931c20ef6cd4");
  await assertRejects(
    () =>
      runDefinition(load, { ...placeOf(server), from: FILE, idKey: "key" }, {
        files: { [FILE]: '{"key":"x"}' },
      }),
    Error,
    'Invalid idKey: the value of "key" must have 24 hexadecimal digits, and it is "x"',
  );
});

Deno.test("Bulk runs the writes in their order, neighbours of a kind together", async () => {
  await using server = new MongoServer();
  const writes = [
    { insertOne: { n: 1 } },
    { insertOne: { document: { n: 2 } } },
    { updateOne: { filter: { n: 3 }, update: { $set: { x: 1 } }, upsert: true } },
    { updateMany: { filter: { n: 1 }, update: { $set: { x: 2 } } } },
    { replaceOne: { filter: { n: 2 }, replacement: { n: 4 } } },
    { deleteOne: { filter: { n: 4 } } },
    { deleteMany: { filter: { n: 9 } } },
  ];
  const files = { [FILE]: writes.map((write) => JSON.stringify(write)).join("\n") };
  const { outputs, metrics } = await runDefinition(bulk, { ...placeOf(server), from: FILE }, { files });
  assertEquals(outputs, { size: 7, insertedCount: 2, matchedCount: 2, modifiedCount: 2, deletedCount: 1 });
  assertEquals(metrics, { records: 7, "requests.count": 3 });
  assertEquals(storedIn(server), [
    { n: { $numberInt: "1" }, x: { $numberInt: "2" } },
    { n: { $numberInt: "3" }, x: { $numberInt: "1" } },
  ]);
  await assertRejects(
    () =>
      runDefinition(bulk, { ...placeOf(server), from: FILE }, {
        files: { [FILE]: '{"drop": {"filter": {}}}' },
      }),
    Error,
    'Invalid write "drop"',
  );
});

/** Query of the connection string, options of the server, and the error. */
const CONNECTIONS: readonly (readonly [string, ConstructorParameters<typeof MongoServer>[0], RegExp?])[] = [
  ["", {}],
  ["authMechanism=SCRAM-SHA-1", {}],
  ["", { mechanisms: ["SCRAM-SHA-1"] }],
  ["", { isOld: true }],
  ["directConnection=true", { hello: { isWritablePrimary: false, setName: "r" } }],
  ["", { hello: { isWritablePrimary: false, msg: "isdbgrid" } }],
  [
    "",
    { hello: { isWritablePrimary: false, setName: "r" } },
    /^Cannot use "HOST": its replica set has no primary now$/,
  ],
  ["tls=true&tlsInsecure=true", { tls: { cert: SELF_SIGNED_CERT, key: SELF_SIGNED_KEY } }],
  [
    "tls=true",
    { tls: { cert: SELF_SIGNED_CERT, key: SELF_SIGNED_KEY } },
    /^Cannot connect to "HOST": .*certificate/i,
  ],
  ["authMechanism=MONGODB-X509", {}, /^Cannot log in with authMechanism MONGODB-X509/],
  ["tlsCAFile=/etc/ca.pem", {}, /^Cannot use tlscafile/],
  [
    "",
    { errors: { find: { ok: 0, errmsg: "not authorized on shop", code: 13, codeName: "Unauthorized" } } },
    /^Cannot find documents of "orders" at "HOST": not authorized on shop \(Unauthorized\)$/,
  ],
  [
    "socketTimeoutMS=50",
    { silent: ["find"] },
    /^Cannot find documents of "orders" at "HOST": there was no reply within 0.05 s$/,
  ],
];

for (const [query, options, error] of CONNECTIONS) {
  Deno.test(`a session with "${query}" and ${JSON.stringify(options).slice(0, 80)}: ${error ?? "works"}`, async () => {
    await using server = new MongoServer(options);
    const found = () => runDefinition(find, placeOf(server, query));
    if (!error) return assertEquals((await found()).outputs.size, 0);
    const { message } = await assertRejects(found, Error);
    assertMatch(message.replaceAll(server.host, "HOST"), error);
  });
}

Deno.test("a session goes to the primary, and from a host that cannot be reached to the next one", async () => {
  await using primary = new MongoServer();
  await using secondary = new MongoServer({ hello: { isWritablePrimary: false, primary: primary.host } });
  const uri = secondary.uri().replace("@", `@localhost:${freePort()},`);
  await runDefinition(insertOne, { ...placeOf(secondary), connection: { uri }, document: {} });
  assertEquals([primary.commands.length, secondary.commands.length], [1, 0]);
});

Deno.test("a wrong password is not in the error; a stop ends the work", async () => {
  await using server = new MongoServer({ silent: ["find"] });
  const uri = server.uri().replace("hidden", "wrong");
  const { message } = await assertRejects(
    () => runDefinition(find, { ...placeOf(server), connection: { uri } }),
    Error,
  );
  assertEquals(message, `Cannot log in at "${server.host}": Authentication failed. (AuthenticationFailed)`);
  const stop = new AbortController();
  const waiting = runDefinition(find, placeOf(server), { signal: stop.signal });
  await until(() => Promise.resolve(server.commands.length === 1));
  stop.abort();
  await assertRejects(() => waiting, Error, "stopped");
});
