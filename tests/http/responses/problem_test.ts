import { assertEquals } from "@std/assert";
import { MethodRefusal, problemResponse } from "../../../src/http/responses/problem.ts";
import { DomainError, type ErrorCode } from "../../../src/model/errors.ts";

const CONTEXT = { path: "/api/v1/main/flows", requestId: "r1", accept: "*/*", baseUrl: "" };

const CODES: [code: ErrorCode, status: number, slug: string, message: string][] = [
  ["bad_request", 400, "invalid-query-parameter", "Bad Request: x"],
  ["invalid_filter", 400, "invalid-query-filters", "x"],
  ["invalid_json", 422, "invalid-json", "Invalid json: x"],
  ["invalid_entity", 422, "invalid-entity", "Invalid entity: x"],
  ["invalid_argument", 422, "invalid-argument", "Illegal argument: x"],
  ["already_exists", 409, "entity-already-exists", "x"],
  ["unauthorized", 401, "unauthorized", "x"],
  ["forbidden", 403, "forbidden", "x"],
  ["not_found", 404, "not-found", "Not Found: x"],
  ["method_not_allowed", 405, "method-not-allowed", "x"],
  ["request_timeout", 408, "request-timeout", "x"],
  ["conflict", 409, "conflict", "Illegal state: x"],
  ["expired", 410, "resource-expired", "x"],
  ["precondition_failed", 412, "precondition-failed", "x"],
  ["too_large", 413, "too-large", "x"],
  ["unsupported_media_type", 415, "unsupported-media-type", "x"],
  ["misdirected", 421, "misdirected-request", "x"],
  ["too_many_requests", 429, "too-many-requests", "x"],
  ["internal", 500, "internal-error", "Internal server error"],
  ["unavailable", 503, "unavailable", "x"],
  ["outcome_unknown", 504, "outcome-unknown", "x"],
  ["storage_full", 507, "storage-full", "x"],
];

Deno.test("problemResponse() maps each code to its status, slug and message prefix", async () => {
  for (const [code, status, slug, message] of CODES) {
    const response = problemResponse(new DomainError(code, "x"), CONTEXT);
    const body = await response.json();
    assertEquals(
      [response.status, body.status, body.type, body.message, body.detail],
      [status, status, `/problems/${slug}`, message, message],
    );
  }
});

Deno.test("problemResponse() has the members of both forms", async () => {
  const items = [{ path: "tasks[0].message", message: "must be set" }];
  const error = new DomainError("invalid_entity", "Invalid entity: tasks[0].message: must be set", { items });
  const response = problemResponse(error, { ...CONTEXT, baseUrl: "https://s.example" });
  assertEquals(response.headers.get("content-type"), "application/json");
  assertEquals(await response.json(), {
    message: "Invalid entity: tasks[0].message: must be set",
    _links: { self: [{ href: "/api/v1/main/flows", templated: false }] },
    _embedded: { errors: [{ message: "must be set", path: "tasks[0].message" }] },
    type: "https://s.example/problems/invalid-entity",
    title: "Invalid entity",
    status: 422,
    detail: "Invalid entity: tasks[0].message: must be set",
    instance: "/api/v1/main/flows",
    errors: [{ detail: "must be set", path: "tasks[0].message" }],
    traceId: "r1",
  });
});

Deno.test("problemResponse() does not double a beginning that is there", async () => {
  for (const message of ["Not Found: flow", "Not Found"]) {
    const response = problemResponse(new DomainError("not_found", message), CONTEXT);
    const body = await response.json();
    assertEquals([body.message, body._embedded.errors], [message, [{ message }]]);
  }
});

Deno.test("problemResponse() is problem+json for callers that accept it", async () => {
  const accept = "application/problem+json, */*";
  const response = problemResponse(new DomainError("conflict", "x"), { ...CONTEXT, accept });
  assertEquals(response.headers.get("content-type"), "application/problem+json");
  await response.body?.cancel();
});

Deno.test("problemResponse() shows no details of bugs", async () => {
  for (const error of [new Error("hidden"), "hidden", null, new DomainError("internal", "hidden")]) {
    const response = problemResponse(error, CONTEXT);
    const text = await response.text();
    assertEquals([response.status, text.includes("hidden")], [500, false]);
  }
});

Deno.test("problemResponse() adds the headers of the refusal", () => {
  const headersOf = (error: DomainError) => problemResponse(error, CONTEXT).headers;
  assertEquals(
    headersOf(new DomainError("unauthorized", "x")).get("www-authenticate"),
    'Basic realm="Sluice"',
  );
  const fromLogin = { ...CONTEXT, referer: "http://localhost/login" };
  const { headers } = problemResponse(new DomainError("unauthorized", "x"), fromLogin);
  assertEquals(headers.get("www-authenticate"), null);
  assertEquals(headersOf(new DomainError("unavailable", "x", { retryAfter: 3 })).get("retry-after"), "3");
  assertEquals(headersOf(new MethodRefusal("PUT", "/x", ["POST", "GET"])).get("allow"), "GET, HEAD, POST");
});
