/** The types of Google Workspace against a stub of the APIs of Drive (v3), Sheets (v4) and Calendar (v3). */
import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import type { JsonObject, JsonValue } from "../../src/base/json.ts";
import { calendarInsertEvent } from "../../src/integrations/googleworkspace/calendar.ts";
import {
  driveCreate,
  driveDelete,
  driveDownload,
  driveExport,
  driveList,
  driveUpload,
} from "../../src/integrations/googleworkspace/drive.ts";
import { rowsOf } from "../../src/integrations/googleworkspace/sheet_values.ts";
import { sheetsRead, sheetsReadRange } from "../../src/integrations/googleworkspace/sheets_read.ts";
import {
  sheetsCreate,
  sheetsDelete,
  sheetsLoad,
} from "../../src/integrations/googleworkspace/sheets_write.ts";
import {
  driveFileCreatedTrigger,
  sheetModifiedTrigger,
} from "../../src/integrations/googleworkspace/triggers.ts";
import type { TaskDefinition } from "../../src/model/tasks/task_definition.ts";
import type { ApiReply, ApiRequest, ApiStub } from "../support/servers/api_stub.ts";
import { pollDefinition, runDefinition } from "../support/flows/definition_run.ts";
import { callsOf, connection, gcpError, gcpStub } from "./gcp/gcp_stub.ts";

const FILE = "kestra:///demo/data.csv";
const RESOURCE = {
  id: "f1",
  name: "Report",
  version: "3",
  mimeType: "text/csv",
  parents: ["p"],
  trashed: false,
};

const UPLOADS: readonly (readonly [properties: JsonObject, open: string, metadata: JsonObject])[] = [
  [
    { name: "Report", parents: ["p"], mimeType: "application/vnd.google-apps.spreadsheet" },
    "POST /upload/drive/v3/files",
    { name: "Report", parents: ["p"], mimeType: "application/vnd.google-apps.spreadsheet" },
  ],
  [{ fileId: "f1" }, "PATCH /upload/drive/v3/files/f1", {}],
];

for (const [properties, open, metadata] of UPLOADS) {
  Deno.test(`Upload sends the file to a session: ${open}`, async () => {
    await using stub = gcpStub(({ path }, { url }) =>
      path === "/session" ? RESOURCE : new Response("", { headers: { location: `${url}/session` } })
    );
    const { outputs, metrics } = await runDefinition(driveUpload, {
      ...connection(stub),
      from: FILE,
      contentType: "text/csv",
      ...properties,
    }, { files: { [FILE]: "a,b\n" } });
    assertEquals([outputs.file, metrics], [{ ...RESOURCE, version: 3, size: 4 }, { size: 4 }]);
    const [, session, send] = stub.requests;
    assertEquals(callsOf(stub), [open, "PUT /session"]);
    assertEquals([session?.query.uploadType, session?.query.supportsAllDrives], ["resumable", "true"]);
    assertEquals(session?.headers["x-upload-content-type"], "text/csv");
    assertEquals([JSON.parse(session?.text ?? ""), send?.text], [metadata, "a,b\n"]);
  });
}

const CONTENTS: readonly (readonly [TaskDefinition, JsonObject, path: string, query: JsonObject])[] = [
  [driveDownload, {}, "GET /drive/v3/files/f1", { alt: "media", supportsAllDrives: "true" }],
  [
    driveExport,
    { contentType: "application/pdf" },
    "GET /drive/v3/files/f1/export",
    { mimeType: "application/pdf" },
  ],
];

for (const [definition, properties, call, query] of CONTENTS) {
  Deno.test(`${definition.type} stores the content, with what is known of the file`, async () => {
    await using stub = gcpStub(({ query, path }) =>
      query.alt === "media" || path.endsWith("/export") ? new Response("content") : RESOURCE
    );
    const { outputs, files } = await runDefinition(definition, {
      ...connection(stub),
      fileId: "f1",
      ...properties,
    });
    assertEquals(files.get(String(outputs.uri)), "content");
    assertEquals(outputs.file, { ...RESOURCE, version: 3, size: 7 });
    assertEquals([callsOf(stub).at(-1), stub.requests.at(-1)?.query], [call, query]);
  });
}

Deno.test("Create, Delete and List use the API of files", async () => {
  await using stub = gcpStub(({ method, query }) => {
    if (method === "DELETE") return new Response(null, { status: 204 });
    if (method === "POST") return RESOURCE;
    return query.pageToken === "2"
      ? { files: [{ id: "b", size: "5" }] }
      : { files: [{ id: "a" }], nextPageToken: "2" };
  });
  const created = await runDefinition(driveCreate, { ...connection(stub), name: "Report", parents: ["p"] });
  const deleted = await runDefinition(driveDelete, { ...connection(stub), fileId: "f/1" });
  const listed = await runDefinition(driveList, {
    ...connection(stub),
    query: "'p' in parents",
    corpora: ["user"],
  });
  assertEquals([created.outputs.file, deleted.outputs], [{ ...RESOURCE, version: 3 }, { fileId: "f/1" }]);
  assertEquals([listed.outputs.files, listed.metrics], [[{ id: "a" }, { id: "b", size: 5 }], { size: 2 }]);
  assertEquals(callsOf(stub), [
    "POST /drive/v3/files",
    "DELETE /drive/v3/files/f%2F1",
    "GET /drive/v3/files",
    "GET /drive/v3/files",
  ]);
  const { q, corpora, includeItemsFromAllDrives } = stub.requests.at(-1)?.query ?? {};
  assertEquals([q, corpora, includeItemsFromAllDrives], ["'p' in parents", "user", "true"]);
});

/** A spreadsheet with two sheets. */
function spreadsheet({ path }: ApiRequest): ApiReply {
  if (path.endsWith("/s1")) {
    return { sheets: [{ properties: { title: "It's" } }, { properties: { title: "Empty" } }] };
  }
  return path.includes("Empty")
    ? { range: "Empty!A1:Z9" }
    : { range: "x", values: [["id", "name"], [1, "a"], [2]] };
}

Deno.test("Read gives the rows of each sheet, by the names of the first row", async () => {
  await using stub = gcpStub(spreadsheet);
  const properties = { ...connection(stub), spreadsheetId: "s1" };
  const fetched = await runDefinition(sheetsRead, { ...properties, fetch: true });
  assertEquals(fetched.outputs, {
    rows: { "It's": [{ id: 1, name: "a" }, { id: 2, name: null }], Empty: [] },
    size: 3,
  });
  assertEquals(fetched.metrics, { sheets: 2, rows: 3 });
  const range = stub.requests.find(({ path }) => path.includes("/values/"));
  assertEquals(decodeURIComponent(range?.path ?? ""), "/v4/spreadsheets/s1/values/'It''s'");
  assertEquals(range?.query, {
    valueRenderOption: "UNFORMATTED_VALUE",
    dateTimeRenderOption: "FORMATTED_STRING",
  });
  const stored = await runDefinition(sheetsRead, {
    ...properties,
    selectedSheetsTitle: ["It's"],
    header: false,
  });
  const uris = stored.outputs.uris as JsonObject;
  assertEquals(Object.keys(uris), ["It's"]);
  assertEquals(stored.files.get(String(uris["It's"])), '["id","name"]\n[1,"a"]\n[2]\n');
});

Deno.test("ReadRange reads a range", async () => {
  await using stub = gcpStub(spreadsheet);
  const properties = { ...connection(stub), spreadsheetId: "s1", range: "A!A1:B3" };
  const fetched = await runDefinition(sheetsReadRange, { ...properties, fetch: true });
  assertEquals(fetched.outputs, { rows: [{ id: 1, name: "a" }, { id: 2, name: null }], size: 2 });
  const { outputs, files } = await runDefinition(sheetsReadRange, properties);
  assertEquals([files.get(String(outputs.uri)), outputs.size], [
    '{"id":1,"name":"a"}\n{"id":2,"name":null}\n',
    2,
  ]);
});

const LOADS:
  readonly (readonly [content: string, properties: JsonObject, values: unknown, calls: string[]])[] = [
    ['x;y\n1;"a;b"\n', { format: "CSV", csvOptions: { fieldDelimiter: ";", skipLeadingRows: 1 } }, [[
      "1",
      "a;b",
    ]], [
      "PUT /v4/spreadsheets/s1/values/Sheet1",
    ]],
    [
      '[{"a":1,"b":{"c":2}},{"b":null}]',
      { format: "JSON", header: true, insertType: "APPEND", range: "T" },
      [["a", "b"], [1, '{"c":2}'], ["", ""]],
      ["POST /v4/spreadsheets/s1/values/T:append"],
    ],
    ["{a:1}\n{a:true}\n", { format: "ION", insertType: "OVERWRITE" }, [[1], [true]], [
      "POST /v4/spreadsheets/s1/values/Sheet1:clear",
      "PUT /v4/spreadsheets/s1/values/Sheet1",
    ]],
  ];

for (const [content, properties, values, calls] of LOADS) {
  Deno.test(`Load writes rows: ${JSON.stringify(properties)}`, async () => {
    const written = { updatedRange: "Sheet1!A1:B2", updatedRows: 2, updatedColumns: 2 };
    await using stub = gcpStub(({ path }) => path.endsWith(":append") ? { updates: written } : written);
    const { outputs } = await runDefinition(sheetsLoad, {
      ...connection(stub),
      spreadsheetId: "s1",
      from: FILE,
      ...properties,
    }, { files: { [FILE]: content } });
    assertEquals(outputs, { range: "Sheet1!A1:B2", rows: 2, columns: 2 });
    assertEquals(callsOf(stub).map((call) => call.replaceAll("%3A", ":")), calls);
    assertEquals(JSON.parse(stub.requests.at(-1)?.text ?? "").values, values);
    assertEquals(stub.requests.at(-1)?.query.valueInputOption, "RAW");
  });
}

Deno.test("CreateSpreadsheet and DeleteSpreadsheet; only a spreadsheet is deleted", async () => {
  await using stub = gcpStub(({ method, path }) => {
    if (method === "DELETE") return new Response(null, { status: 204 });
    if (path.endsWith("/file")) return gcpError(404, "Requested entity was not found.", "notFound");
    return { spreadsheetId: "s1", spreadsheetUrl: "https://docs.google.com/spreadsheets/d/s1/edit" };
  });
  const { outputs } = await runDefinition(sheetsCreate, { ...connection(stub), title: "T" });
  assertEquals(outputs.spreadsheetId, "s1");
  assertEquals(JSON.parse(stub.requests.at(-1)?.text ?? ""), { properties: { title: "T" } });
  await runDefinition(sheetsDelete, { ...connection(stub), spreadsheetId: "s1" });
  assertEquals(callsOf(stub).slice(1), ["GET /v4/spreadsheets/s1", "DELETE /drive/v3/files/s1"]);
  await assertRejects(
    () => runDefinition(sheetsDelete, { ...connection(stub), spreadsheetId: "file" }),
    Error,
    `Cannot delete the spreadsheet "file" at "${stub.host}": the response was 404: Requested entity was not found. (notFound)`,
  );
  assertEquals(stub.calls.filter((call) => call.startsWith("DELETE")).length, 1);
});

Deno.test("InsertEvent creates an event", async () => {
  await using stub = gcpStub(() => ({ id: "e1" }));
  const times = {
    startTime: { dateTime: "2026-11-28T09:00:00Z" },
    endTime: { dateTime: "2026-11-28T10:00:00Z" },
  };
  const { outputs } = await runDefinition(calendarInsertEvent, {
    ...connection(stub),
    calendarId: "team@example.com",
    summary: "Review",
    ...times,
    attendees: [{ email: "a@example.com" }],
  });
  assertEquals(outputs, { event: { id: "e1" } });
  assertEquals(callsOf(stub), ["POST /calendar/v3/calendars/team%40example.com/events"]);
  assertEquals(JSON.parse(stub.requests.at(-1)?.text ?? ""), {
    summary: "Review",
    start: times.startTime,
    end: times.endTime,
    attendees: [{ email: "a@example.com" }],
  });
});

function driveChanges(stub: ApiStub): JsonObject {
  return { ...connection(stub), folderId: "it's", mimeTypes: ["text/csv"] };
}

Deno.test("FileCreatedTrigger notes the time at its first poll, then finds files that are newer", async () => {
  await using stub = gcpStub(({ query }) => {
    if (query.alt === "media") return new Response("content");
    return {
      files: [
        {
          id: "d",
          name: "doc",
          mimeType: "application/vnd.google-apps.document",
          createdTime: "2026-01-02T00:00:00Z",
        },
        { id: "f", name: "a.csv", mimeType: "text/csv", createdTime: "2026-01-03T00:00:00Z" },
      ],
    };
  });
  const properties = driveChanges(stub);
  const first = await pollDefinition(driveFileCreatedTrigger, properties);
  assertEquals([first.isFound, stub.calls], [false, []]);
  const second = await pollDefinition(driveFileCreatedTrigger, properties, { since: "2026-01-01T00:00:00Z" });
  const [doc, file] = second.outputs.files as JsonObject[];
  assertEquals([doc?.kestraFileUri, second.files.get(String(file?.kestraFileUri))], [null, "content"]);
  assertEquals(second.state?.since, "2026-01-03T00:00:00.000Z");
  assertEquals(
    stub.requests[1]?.query.q,
    "trashed = false and createdTime > '2026-01-01T00:00:00.000Z' and 'it\\'s' in parents and (mimeType = 'text/csv')",
  );
});

/** A drive with these files, by their times of 2 January 2026. */
function driveOf(times: Map<string, string>): ApiStub {
  return gcpStub(({ query }) => {
    const [, after = ""] = /createdTime > '([^']+)'/.exec(query.q ?? "") ?? [];
    const files = [...times].map(([id, time]) => ({
      id,
      name: id,
      mimeType: "application/vnd.google-apps.document",
      createdTime: `2026-01-02T${time}Z`,
    }));
    const found = files.filter(({ createdTime }) => createdTime > after)
      .sort((a, b) => a.createdTime < b.createdTime ? -1 : 1);
    const start = Number(query.pageToken ?? 0), end = start + Number(query.pageSize);
    return { files: found.slice(start, end), ...end < found.length && { nextPageToken: String(end) } };
  });
}

Deno.test("FileCreatedTrigger finds each file once, also of the same time, and one that is shown late", async () => {
  const times = new Map([["a", "10:00:00.500"], ["b", "10:00:00.500"], ["c", "10:00:00.500"]]);
  await using stub = driveOf(times);
  const properties = { ...connection(stub), maxFilesPerPoll: 2 };
  let state: JsonObject | undefined = { since: "2026-01-01T00:00:00Z" };
  const poll = async () => {
    const polled = await pollDefinition(driveFileCreatedTrigger, properties, state);
    state = polled.state;
    return ((polled.outputs.files ?? []) as JsonObject[]).map(({ id }) => id);
  };
  assertEquals([await poll(), await poll(), await poll()], [["a", "b"], ["c"], []]);
  times.set("d", "10:05:00.000");
  assertEquals(await poll(), ["d"]);
  times.set("late", "09:59:00.000");
  assertEquals([await poll(), await poll()], [["late"], []]);
  times.set("e", "11:00:00.000").set("f", "11:00:01.000");
  assertEquals([await poll(), await poll()], [["e", "f"], []]);
  assertEquals(Object.keys(state.known as JsonObject).length, 2);
});

Deno.test("FileCreatedTrigger finds no file that is older than its first poll", async () => {
  const times = new Map([["old", "00:00:00.000"]]);
  await using stub = driveOf(times);
  const first = await pollDefinition(driveFileCreatedTrigger, connection(stub));
  await pollDefinition(driveFileCreatedTrigger, connection(stub), first.state);
  const query = stub.requests.at(-1)?.query.q;
  assertEquals(query, `trashed = false and createdTime > '${first.state?.since}'`);
});

Deno.test("FileCreatedTrigger keeps a state that is small enough after thousands of files", async () => {
  const times = new Map(
    Array.from({ length: 1800 }, (_, index) => {
      const at = new Date(index * 100).toISOString().slice(11, 23);
      return [`file ${index}`, at] as const;
    }),
  );
  await using stub = driveOf(times);
  const properties = { ...connection(stub), maxFilesPerPoll: 900 };
  let state: JsonObject | undefined = { since: "2026-01-01T00:00:00Z" };
  const counts: number[] = [];
  for (let poll = 0; poll < 3; poll++) {
    const polled = await pollDefinition(driveFileCreatedTrigger, properties, state);
    state = polled.state;
    counts.push(((polled.outputs.files ?? []) as JsonObject[]).length);
  }
  assertEquals([counts, JSON.stringify(state).length < 16_384], [[900, 900, 0], true]);
});

Deno.test("SheetModifiedTrigger finds the revisions after the one that it knows", async () => {
  await using stub = gcpStub(({ path }) =>
    path.endsWith("/revisions")
      ? {
        revisions: [{ id: "1" }, { id: "2", modifiedTime: "t", lastModifyingUser: { displayName: "Ann" } }],
      }
      : { range: "'S'!A1:B2", values: [[1, 2], [3]] }
  );
  const properties = { ...connection(stub), spreadsheetId: "s1", sheetName: "S", includeDetails: true };
  const first = await pollDefinition(sheetModifiedTrigger, properties);
  assertEquals([first.isFound, first.state], [false, { revision: "2" }]);
  const second = await pollDefinition(sheetModifiedTrigger, properties, { revision: "1" });
  assertEquals(second.outputs, {
    modifications: [{
      revisionId: "2",
      modifiedTime: "t",
      spreadsheetId: "s1",
      lastModifyingUser: "Ann",
      sheetName: "S",
      changeDetails: { affectedRange: "'S'!A1:B2", rowCount: 2, columnCount: 2, hasData: true },
    }],
    count: 1,
  });
  assertEquals((await pollDefinition(sheetModifiedTrigger, properties, { revision: "2" })).isFound, false);
});

Deno.test("a refusal names the operation, and the credentials are never shown", async () => {
  await using stub = gcpStub(() => gcpError(403, "The caller does not have permission", "forbidden"));
  const error = await assertRejects(
    () => runDefinition(driveDownload, { ...connection(stub), fileId: "f1" }),
    Error,
    `Cannot read the file "f1" at "${stub.host}": the response was 403: The caller does not have permission (forbidden)`,
  );
  assertEquals(error.message.includes("PRIVATE"), false);
  await assertRejects(
    () => runDefinition(driveDownload, { fileId: "f1" }),
    Error,
    "Missing serviceAccount: give the JSON key of a service account",
  );
});

const WIDE: readonly (readonly [columns: number, rows: number, message: string])[] = [
  [4_097, 1, "The result has 4097 columns; the limit is 4096"],
  [4_000, 1_001, "1001 of them with 4000 columns have more than 4000000 cells; read them in several ranges"],
];

for (const [columns, rows, message] of WIDE) {
  Deno.test(`rows of a sheet without cells are refused: ${message}`, () => {
    const names = Array.from({ length: columns }, (_, index) => `c${index}`);
    const cells = [names, ...Array<JsonValue[]>(rows - 1).fill([])];
    assertThrows(() => rowsOf(cells, true), Error, message);
    assertEquals(rowsOf(cells, false), cells);
  });
}
