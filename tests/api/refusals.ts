/** Rows of bad input: a request, the expected response, and the proof that nothing was stored. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { settle } from "../support/fakes/fake_clock.ts";
import { Harness, type HarnessOptions } from "../support/harness.ts";

/** A request that must be refused. */
export interface Refusal {
  /** The fault; with the request the name of the test. */
  readonly what: string;
  /** Method and path, as `POST /flows`. */
  readonly request: string;
  readonly init?: RequestInit;
  readonly status: number;
  /** Parts of the message: the thing, the reason and, where there is one, the way out. */
  readonly says: readonly string[];
  /** What the server has before. */
  readonly given?: (server: Harness) => Promise<unknown>;
  readonly options?: HarnessOptions;
}

/** The members of a refusal, of the older form and of RFC 9457. */
export interface RefusalBody {
  readonly message: string;
  readonly _links: { readonly self: readonly { readonly href: string; readonly templated: boolean }[] };
  readonly _embedded: {
    readonly errors: readonly { readonly message: string; readonly path?: string }[];
  };
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly instance: string;
  readonly errors: readonly { readonly detail: string; readonly path?: string }[];
  readonly traceId: string;
}

/** Characters of a request in the name of its test. */
const MAX_NAME_LENGTH = 100;

/** Makes each row a test. */
export function testRefusals(rows: readonly Refusal[]): void {
  for (const row of rows) {
    Deno.test(`${row.request.slice(0, MAX_NAME_LENGTH)} refuses ${row.what}`, async () => {
      await using server = await Harness.start(row.options);
      await row.given?.(server);
      await assertRefused(server, row);
    });
  }
}

/** Sends the request; it gets the status and both forms of the body, and leaves the store as it was. */
export async function assertRefused(server: Harness, row: Refusal): Promise<RefusalBody> {
  await settle();
  const before = server.store.count();
  const [method = "", path = ""] = row.request.split(" ");
  const response = await server.request(method, path, row.init);
  const text = await response.text();
  assertEquals(response.status, row.status, text);
  const body = readRefusal(text, row.status);
  for (const part of row.says) assertStringIncludes(body.message, part);
  await settle();
  assertEquals(server.store.count(), before, "something was stored");
  return body;
}

/** The body of a refusal, checked to have both forms. */
export function readRefusal(text: string, status: number): RefusalBody {
  const body: RefusalBody = JSON.parse(text);
  assert(body.message.length > 10 && !body.message.endsWith("."), body.message);
  assertEquals(body._links.self.map(({ templated }) => templated), [false]);
  assert(body._embedded.errors.length > 0, "_embedded.errors is empty");
  assertStringIncludes(body.type, "/problems/");
  assert(body.title !== "", "there is no title");
  assertEquals(body.status, status);
  assertEquals(body.detail, body.message);
  assertEquals(body.instance, body._links.self[0]?.href);
  assert(Array.isArray(body.errors), "there is no list of errors");
  assert(body.traceId !== "", "there is no id of the request");
  return body;
}

/** A flow of namespace `demo` that returns `format`; `more` is put between its head and its tasks. */
export function flowSource(id = "hello", more = "", format = "a"): string {
  return `id: ${id}\nnamespace: demo\n${more}tasks:\n` +
    `  - id: a\n    type: io.svc.plugin.core.debug.Return\n    format: ${JSON.stringify(format)}\n`;
}
