/** The types of Lambda, DynamoDB and Athena against a stub that verifies signatures. */
import { assertEquals, assertMatch, assertRejects } from "@std/assert";
import type { JsonObject } from "../../../src/base/json.ts";
import { athenaQuery } from "../../../src/integrations/aws/athena.ts";
import {
  dynamodbDeleteItem,
  dynamodbGetItem,
  dynamodbPutItem,
  dynamodbQuery,
  dynamodbScan,
} from "../../../src/integrations/aws/dynamodb.ts";
import { lambdaInvoke } from "../../../src/integrations/aws/lambda.ts";
import type { TaskDefinition } from "../../../src/model/tasks/task_definition.ts";
import { type ApiReply, type ApiRequest, ApiStub } from "../../support/servers/api_stub.ts";
import { runDefinition } from "../../support/flows/definition_run.ts";
import { isSigned, KEYS } from "./aws_signature.ts";

/** Checks the signature, the service and the protocol of each request. */
function serviceStub(service: string, reply: (request: ApiRequest, body: JsonObject) => ApiReply): ApiStub {
  return new ApiStub((request) => {
    const isFor = request.headers.authorization?.includes(`/eu-central-1/${service}/aws4_request`);
    if (!isFor || !isSigned(request) || request.method !== "POST") return new Response("", { status: 403 });
    return reply(request, request.text === "" ? {} : JSON.parse(request.text));
  });
}

function connection({ url }: ApiStub): JsonObject {
  return { ...KEYS, region: "eu-central-1", endpointOverride: url };
}

const ARN = "arn:aws:lambda:eu-central-1:1:function:f";

Deno.test("a response of AWS with more than 24 MiB is refused", async () => {
  await using stub = serviceStub("lambda", () => new Response(new Uint8Array(24 * 1024 * 1024 + 1)));
  await assertRejects(
    () => runDefinition(lambdaInvoke, { ...connection(stub), functionArn: ARN }),
    Error,
    "the response is larger than 25165824 bytes",
  );
});

Deno.test("Invoke sends the event and stores the result", async () => {
  await using stub = serviceStub("lambda", (_request, body) => ({ got: body }));
  const { outputs, files } = await runDefinition(lambdaInvoke, {
    ...connection(stub),
    functionArn: ARN,
    functionPayload: { id: 1, name: "ü" },
  });
  assertEquals(files.get(String(outputs.uri)), '{"got":{"id":1,"name":"ü"}}');
  assertEquals([outputs.contentLength, outputs.contentType], [28, "application/json"]);
  assertEquals(stub.calls, [`POST /2015-03-31/functions/${encodeURIComponent(ARN)}/invocations`]);
});

const LAMBDA_ERRORS: readonly (readonly [reply: () => Response, error: RegExp])[] = [
  [
    () =>
      Response.json({ errorMessage: "no such id", errorType: "Error" }, {
        headers: { "X-Amz-Function-Error": "Unhandled" },
      }),
    /^Cannot invoke the function "arn:.*:f": its error is Unhandled: no such id$/,
  ],
  [
    () => Response.json({ Type: "User", Message: "Function not found: f" }, { status: 404 }),
    /^Cannot invoke the function "arn:.*:f" at "HOST": the response was 404: Function not found: f$/,
  ],
];

for (const [reply, expected] of LAMBDA_ERRORS) {
  Deno.test(`Invoke reports ${expected.source}`, async () => {
    await using stub = serviceStub("lambda", reply);
    const run = () => runDefinition(lambdaInvoke, { ...connection(stub), functionArn: ARN });
    assertMatch((await assertRejects(run, Error)).message.replace(stub.host, "HOST"), expected);
  });
}

const ITEM = {
  id: "a",
  count: 1,
  big: 12345678901234567890n,
  ok: true,
  none: null,
  list: [1, "x"],
  map: { a: "b" },
};

const ATTRIBUTES: JsonObject = {
  id: { S: "a" },
  count: { N: "1" },
  big: { N: "12345678901234567890" },
  ok: { BOOL: true },
  none: { NULL: true },
  list: { L: [{ N: "1" }, { S: "x" }] },
  map: { M: { a: { S: "b" } } },
};

/** Type, properties, the target of the request, its body, the response and the outputs. */
const ITEMS: readonly (readonly [TaskDefinition, JsonObject, string, JsonObject, JsonObject, JsonObject])[] =
  [
    [dynamodbPutItem, { item: ITEM }, "PutItem", { Item: ATTRIBUTES }, {}, {}],
    [dynamodbPutItem, { item: '{"id":"a"}' }, "PutItem", { Item: { id: { S: "a" } } }, {}, {}],
    [
      dynamodbGetItem,
      { key: { id: "a" } },
      "GetItem",
      { Key: { id: { S: "a" } } },
      { Item: { ...ATTRIBUTES, set: { SS: ["p"] }, numbers: { NS: ["1", "0.12345678901234567"] } } },
      { row: { ...ITEM, set: ["p"], numbers: [1, "0.12345678901234567"] } },
    ],
    [dynamodbGetItem, { key: { id: "b" } }, "GetItem", { Key: { id: { S: "b" } } }, {}, {}],
    [dynamodbDeleteItem, { key: { id: "a" } }, "DeleteItem", { Key: { id: { S: "a" } } }, {}, {}],
  ];

for (const [definition, properties, target, body, response, outputs] of ITEMS) {
  Deno.test(`${definition.type} sends ${target} for ${Object.keys(properties)} ${Object.keys(response)}`, async () => {
    await using stub = serviceStub("dynamodb", () => response);
    const run = await runDefinition(definition, { ...connection(stub), tableName: "t", ...properties });
    const [request] = stub.requests;
    assertEquals([request?.path, request?.headers["x-amz-target"], request?.headers["content-type"]], [
      "/",
      `DynamoDB_20120810.${target}`,
      "application/x-amz-json-1.0",
    ]);
    assertEquals([JSON.parse(request?.text ?? ""), run.outputs], [{ TableName: "t", ...body }, outputs]);
  });
}

/** Two pages with one item each. */
function pages(_request: ApiRequest, { ExclusiveStartKey: start }: JsonObject): ApiReply {
  return start === undefined
    ? { Items: [{ id: { N: "1" } }], LastEvaluatedKey: { id: { N: "1" } } }
    : { Items: [{ id: { N: "2" } }] };
}

Deno.test("Query and Scan read all pages, as outputs or as a file", async () => {
  await using stub = serviceStub("dynamodb", pages);
  const table = { ...connection(stub), tableName: "t" };
  const queried = await runDefinition(dynamodbQuery, {
    ...table,
    keyConditionExpression: "id = :id",
    expressionAttributeValues: { ":id": 1 },
    fetchType: "FETCH",
  });
  assertEquals(queried.outputs, { rows: [{ id: 1 }, { id: 2 }], size: 2 });
  assertEquals(stub.requests.map(({ text }) => JSON.parse(text)), [
    { TableName: "t", KeyConditionExpression: "id = :id", ExpressionAttributeValues: { ":id": { N: "1" } } },
    {
      TableName: "t",
      KeyConditionExpression: "id = :id",
      ExpressionAttributeValues: { ":id": { N: "1" } },
      ExclusiveStartKey: { id: { N: "1" } },
    },
  ]);
  const scanned = await runDefinition(dynamodbScan, table);
  assertEquals([scanned.files.get(String(scanned.outputs.uri)), scanned.outputs.size], [
    '{"id":1}\n{"id":2}\n',
    2,
  ]);
  const limited = await runDefinition(dynamodbScan, { ...table, limit: 1, fetchType: "FETCH" });
  assertEquals(limited.outputs, { rows: [{ id: 1 }], size: 1 });
});

Deno.test("DynamoDB reports the code and the words of an error", async () => {
  const reply = {
    __type: "com.amazonaws.dynamodb.v20120810#ResourceNotFoundException",
    message: "Requested resource not found",
  };
  await using stub = serviceStub("dynamodb", () => Response.json(reply, { status: 400 }));
  const run = () => runDefinition(dynamodbGetItem, { ...connection(stub), tableName: "t", key: { id: 1 } });
  assertEquals(
    (await assertRejects(run, Error)).message,
    `Cannot call GetItem for the table "t" at "${stub.host}": the response was 400: ` +
      "Requested resource not found (ResourceNotFoundException)",
  );
});

const QUERY = { query: "SELECT 1", database: "d", outputLocation: "s3://b/r/" };
const COLUMNS = [{ Name: "id", Type: "bigint" }, { Name: "price", Type: "double" }, {
  Name: "ok",
  Type: "boolean",
}, {
  Name: "total",
  Type: "decimal",
}, {
  Name: "name",
  Type: "varchar",
}];

function cells(...values: readonly (string | undefined)[]): JsonObject {
  return { Data: values.map((value): JsonObject => value === undefined ? {} : { VarCharValue: value }) };
}

/** A query that ends at the second look, with two pages of rows, or the one that is given. */
function athena(page?: JsonObject): (request: ApiRequest, body: JsonObject) => ApiReply {
  let looks = 0;
  return ({ headers }, body) => {
    switch (headers["x-amz-target"]) {
      case "AmazonAthena.StartQueryExecution":
        return { QueryExecutionId: "q1" };
      case "AmazonAthena.GetQueryExecution":
        return {
          QueryExecution: {
            Status: { State: ++looks > 1 ? "SUCCEEDED" : "RUNNING" },
            Statistics: { DataScannedInBytes: 5, TotalExecutionTimeInMillis: 7 },
            ResultConfiguration: { OutputLocation: "s3://b/r/q1.csv" },
          },
        };
      default:
        return page ?? {
          ResultSet: {
            ResultSetMetadata: { ColumnInfo: COLUMNS },
            Rows: body.NextToken === undefined
              ? [
                cells("id", "price", "ok", "total", "name"),
                cells("1", "1.5", "true", "1234567890123.45", "a"),
              ]
              : [cells("2", undefined, "false", "12345678901234567.89", "NaN")],
          },
          ...body.NextToken === undefined ? { NextToken: "n" } : {},
        };
    }
  };
}

Deno.test("Query of Athena waits for the end and reads typed rows", async () => {
  await using stub = serviceStub("athena", athena());
  const { outputs, metrics } = await runDefinition(athenaQuery, {
    ...connection(stub),
    ...QUERY,
    fetchType: "FETCH",
  });
  assertEquals(
    JSON.stringify(outputs),
    JSON.stringify({
      queryExecutionId: "q1",
      outputLocation: "s3://b/r/q1.csv",
      rows: [
        { id: 1, price: 1.5, ok: true, total: 1234567890123.45, name: "a" },
        { id: 2, price: null, ok: false, total: "12345678901234567.89", name: "NaN" },
      ],
      size: 2,
    }),
  );
  assertEquals(metrics, { "data.scanned.bytes": 5, "total.execution.duration": 7 });
  const [start] = stub.requests;
  const { ClientRequestToken: token, ...body } = JSON.parse(start?.text ?? "");
  assertEquals(body, {
    QueryString: "SELECT 1",
    QueryExecutionContext: { Database: "d" },
    ResultConfiguration: { OutputLocation: "s3://b/r/" },
  });
  assertEquals([String(token).length >= 32, start?.headers["content-type"]], [
    true,
    "application/x-amz-json-1.1",
  ]);
});

function columnsOf(count: number): JsonObject[] {
  return Array.from({ length: count }, (_, index) => ({ Name: `c${index}`, Type: "varchar" }));
}

/** Results that would be larger than they are, and one of DESCRIBE. */
const WIDE: readonly (readonly [columns: readonly JsonObject[], message: string | undefined])[] = [
  [columnsOf(4_097), "The result has 4097 columns; the limit is 4096"],
  [[{ Name: "x".repeat(2_049), Type: "varchar" }], "The names of the columns are too long"],
  [columnsOf(9), "A row has 1 cells, the result has 9 columns"],
  [columnsOf(3), undefined],
];

for (const [columns, message] of WIDE) {
  Deno.test(`Query of Athena ${message ? "refuses" : "reads"} a row of one cell with ${columns.length} columns`, async () => {
    const set = { ResultSetMetadata: { ColumnInfo: columns as JsonObject[] }, Rows: [cells("a\tint\t")] };
    await using stub = serviceStub("athena", athena({ ResultSet: set }));
    const run = async () => {
      const properties = { ...connection(stub), ...QUERY, fetchType: "FETCH", skipHeader: false };
      return (await runDefinition(athenaQuery, properties)).outputs.rows;
    };
    if (message) await assertRejects(run, Error, message);
    else assertEquals(await run(), [{ c0: "a\tint\t", c1: null, c2: null }]);
  });
}

Deno.test("a failed query of Athena is an error with its reason", async () => {
  await using stub = serviceStub(
    "athena",
    ({ headers }) =>
      headers["x-amz-target"] === "AmazonAthena.StartQueryExecution" ? { QueryExecutionId: "q1" } : {
        QueryExecution: {
          Status: { State: "FAILED", StateChangeReason: "line 1:8: Column 'x' cannot be resolved" },
        },
      },
  );
  await assertRejects(
    () => runDefinition(athenaQuery, { ...connection(stub), ...QUERY }),
    Error,
    "The query \"q1\" ended as FAILED: line 1:8: Column 'x' cannot be resolved",
  );
});
