import { assertMatch, assertNotMatch, assertStringIncludes } from "@std/assert";
import { type ExecutionSummary, startPage } from "../../src/ui/start_page.ts";
import { FAKE_START } from "../support/fake_clock.ts";

const SUMMARY: ExecutionSummary = {
  id: "A0Abc12XyZ90QwErTyUiOp",
  namespace: "company.team",
  flowId: "hello",
  state: "SUCCESS",
  startedAt: FAKE_START,
  durationMs: 1_500,
};

Deno.test("startPage() without executions shows how to start the first", () => {
  const text = startPage({ version: "1.2.3", baseUrl: "http://localhost:8080", executions: [], total: 0 });
  assertStringIncludes(text, "Nothing has run yet");
  assertStringIncludes(text, "curl -X POST http://localhost:8080/api/v1/main/executions/demo/hello");
  assertStringIncludes(text, "version 1.2.3");
});

Deno.test("startPage() links each execution", () => {
  const text = startPage({ version: "1.2.3", baseUrl: "", executions: [SUMMARY], total: 40 });
  assertStringIncludes(text, 'href="/ui/executions/company.team/hello/A0Abc12XyZ90QwErTyUiOp"');
  assertMatch(text, /SUCCESS<\/span>/);
  assertStringIncludes(text, "1.50 s");
  assertStringIncludes(text, "1 of 40");
});

Deno.test("startPage() shows what users wrote as text", () => {
  const executions = [{ ...SUMMARY, triggerId: "<script>alert(1)</script>" }];
  assertNotMatch(startPage({ version: "1", baseUrl: "", executions, total: 1 }), /<script/);
});
