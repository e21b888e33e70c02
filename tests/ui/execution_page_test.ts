import { assertEquals, assertMatch, assertNotMatch, assertStringIncludes } from "@std/assert";
import type { Execution } from "../../src/model/executions/execution.ts";
import { STATES } from "../../src/model/executions/state.ts";
import { executionPage, executionPath } from "../../src/ui/execution_page.ts";
import { MAX_SHOWN_CHARS } from "../../src/ui/json_view.ts";
import { type LogView, MAX_SHOWN_LINES } from "../../src/ui/log_list.ts";
import { MAX_SHOWN_TASK_RUNS } from "../../src/ui/task_run_list.ts";
import { FAKE_START } from "../support/fake_clock.ts";
import { execution, history, taskRun } from "./executions.ts";

const NOW = FAKE_START + 5_000;

function page(members: Partial<Execution> = {}, logs: readonly LogView[] = []): string {
  return executionPage({ execution: execution(members), logs, now: NOW });
}

/** The text that a reader sees, without markup. */
function seen(markup: string): string {
  return markup.replace(/<[^>]*>/g, " ").replace(/\s+/g, " ");
}

Deno.test("executionPath() names every tenant but main", () => {
  const key = { namespace: "company.team", id: "hello" };
  assertEquals(executionPath("main", key, "X"), "/ui/executions/company.team/hello/X");
  assertEquals(executionPath("blue", key, "X"), "/ui/blue/executions/company.team/hello/X");
});

Deno.test("executionPage() of a created execution says what it waits for, and follows it", () => {
  const text = page();
  assertStringIncludes(seen(text), "Waits for its first task to start.");
  assertStringIncludes(seen(text), "No task has started yet.");
  assertStringIncludes(text, 'data-follow="/api/v1/main/executions/A0Abc12XyZ90QwErTyUiOp/follow"');
  assertStringIncludes(text, '<noscript><meta http-equiv="refresh" content="3"></noscript>');
  assertStringIncludes(text, "/ui/assets/follow.js");
});

Deno.test("executionPage() of a scheduled execution says when it starts", () => {
  assertStringIncludes(seen(page({ scheduleDate: NOW + 90_000 })), "Starts in 1 min 30 s.");
});

Deno.test("executionPage() of a running execution counts up to now", () => {
  const running = history(["CREATED", 0], ["RUNNING", 10]);
  const text = page({ history: running, taskRuns: [taskRun(0, { history: running })] });
  assertMatch(seen(text), /Running for 5\.00 s/);
  assertMatch(text, /<svg class="bar busy"/);
  assertStringIncludes(text, "data-follow");
});

Deno.test("executionPage() of a failed execution begins with the error of the task, and is still", () => {
  const failed = history(["CREATED", 0], ["RUNNING", 10], ["FAILED", 2_000]);
  const logs: LogView[] = [
    { at: FAKE_START, level: "ERROR", taskId: "task-0", message: "first" },
    { at: FAKE_START, level: "ERROR", taskId: "task-0", message: "it broke" },
    { at: FAKE_START, level: "INFO", message: "later" },
  ];
  const text = page({ history: failed, taskRuns: [taskRun(0, { history: failed })] }, logs);
  assertMatch(seen(text), /Failed in task task-0 it broke/);
  assertMatch(text, /<details class="run" id="run-0" open>/);
  assertNotMatch(text, /data-follow|follow\.js|http-equiv="refresh"/);
});

for (const state of STATES) {
  Deno.test(`executionPage() shows state ${state} as icon and text`, () => {
    assertMatch(
      page({ history: history([state, 0]) }),
      new RegExp(`<span class="state \\w+"><svg[^]*?</svg>${state}<`),
    );
  });
}

const SCRIPT = "<script>alert(1)</script>";
const ATTRIBUTE = `" onmouseover="alert(1)`;
for (const evil of [SCRIPT, ATTRIBUTE]) {
  Deno.test(`executionPage() shows ${evil} as text wherever a user wrote it`, () => {
    const failed = history(["CREATED", 0], ["FAILED", 10]);
    const text = page({
      history: failed,
      inputs: { [evil]: evil },
      outputs: { out: evil },
      variables: { variable: [evil] },
      labels: [{ key: evil, value: evil }],
      trigger: { id: evil, type: evil, variables: { body: evil } },
      parentId: evil,
      taskRuns: [taskRun(0, { taskId: evil, value: evil, history: failed, outputs: { [evil]: evil } })],
    }, [{ at: FAKE_START, level: "ERROR", taskId: evil, message: evil }]);
    assertNotMatch(text, /<script>alert|" onmouseover="/);
    assertEquals(text.match(/<script/g), null);
    assertStringIncludes(
      text,
      evil === SCRIPT ? "&lt;script&gt;alert(1)" : "&quot; onmouseover=&quot;alert(1)",
    );
  });
}

Deno.test("executionPage() has no inline script and no inline style", () => {
  const text = page({ history: history(["CREATED", 0], ["RUNNING", 1]) });
  assertNotMatch(text, /\sstyle=|<style|\son\w+=|<script(?![^>]*\ssrc=)/);
});

Deno.test("executionPage() shows a part of what is very long, and says so", () => {
  const ended = history(["CREATED", 0], ["SUCCESS", 10]);
  const taskRuns = Array.from(
    { length: MAX_SHOWN_TASK_RUNS + 1 },
    (_, ordinal) => taskRun(ordinal, { history: ended }),
  );
  const logs = Array.from({ length: MAX_SHOWN_LINES + 1 }, (_, index): LogView => {
    return { at: FAKE_START, level: "INFO", message: `line ${index}` };
  });
  const text = seen(page({ history: ended, taskRuns, outputs: { long: "x".repeat(MAX_SHOWN_CHARS) } }, logs));
  assertStringIncludes(text, `The first ${MAX_SHOWN_TASK_RUNS} of ${MAX_SHOWN_TASK_RUNS + 1}`);
  assertStringIncludes(text, `The latest ${MAX_SHOWN_LINES} of ${MAX_SHOWN_LINES + 1} lines.`);
  assertMatch(text, /Cut: the whole value has \d+ characters/);
  assertNotMatch(text, /line 0 /);
});

Deno.test("executionPage() draws attempts within the time of the execution", () => {
  const ended = history(["CREATED", 0], ["RUNNING", 0], ["SUCCESS", 1_000]);
  const late = history(["CREATED", 500], ["SUCCESS", 1_000]);
  const text = page({ history: ended, taskRuns: [taskRun(0, { history: late })] });
  assertMatch(text, /<rect class="whole" x="500" width="500"/);
});

Deno.test("executionPage() counts attempts when there were several", () => {
  const ended = history(["CREATED", 0], ["RUNNING", 0], ["FAILED", 1_000]);
  const attempts = [{ history: history(["RUNNING", 0], ["FAILED", 250]) }, {
    history: history(["RUNNING", 500], ["FAILED", 1_000]),
  }];
  const text = seen(page({ history: ended, taskRuns: [taskRun(0, { history: ended, attempts })] }));
  assertMatch(text, /FAILED 250 ms\s+FAILED 500 ms/);
});
