/** The time of a render is bounded by the clock. */
import { assertEquals, assertThrows } from "@std/assert";
import {
  compileTemplate,
  ExpressionError,
  renderText,
  RenderTime,
  type Scope,
  type Template,
} from "../../src/expr/mod.ts";
import { scopeOf } from "./support.ts";

/** Some thousand steps. */
const LOOP = compileTemplate("{% for i in 1..4000 %}{{ i }}{% endfor %}");
const REASON = "Cannot evaluate for more than 1000 ms: make the template or its data smaller, " +
  "or let the server allow more with --max-render-time";

/** A clock that each reading advances. */
function clockOf(stepMs: number) {
  let now = 0;
  return {
    monotonicMs: () => now += stepMs,
    advance: (ms: number) => now += ms,
  };
}

function reasonOf(run: () => unknown): string {
  const error = assertThrows(run, ExpressionError) as ExpressionError;
  assertEquals(error.code, "limit");
  return error.reason;
}

Deno.test("a render that takes longer than its time fails with the reason", () => {
  const render = (stepMs: number) =>
    renderText(LOOP, scopeOf({}, { time: new RenderTime(clockOf(stepMs), 1_000) }));
  assertEquals(reasonOf(() => render(100)), REASON);
  assertEquals(render(1).length, 14_893);
});

Deno.test("all templates of a scope share its time", () => {
  const scope = scopeOf({}, { time: new RenderTime(clockOf(20), 1_000) });
  renderText(LOOP, scope);
  assertEquals(reasonOf(() => [renderText(LOOP, scope), renderText(LOOP, scope)]), REASON);
});

Deno.test("time in which a render waits for a value of the host is not counted", () => {
  const clock = clockOf(1);
  let isFetched = false;
  const call = () => {
    if (!isFetched) throw new TypeError("wait");
    return "value";
  };
  const scope = scopeOf({}, {
    time: new RenderTime(clock, 1_000),
    functions: new Map([["host", { parameters: [], call }]]),
  });
  const template = compileTemplate("{% for i in 1..4000 %}{{ i }}{% endfor %}{{ host() }}");
  assertThrows(() => renderText(template, scope), TypeError);
  clock.advance(60_000);
  isFetched = true;
  assertEquals(renderText(template, scope).slice(-9), "4000value");
});

Deno.test("work that is charged beyond the time left is refused before it is done", () => {
  const scope = scopeOf({ text: "a".repeat(300_000) }, { time: new RenderTime(clockOf(0), 50) });
  assertEquals(
    reasonOf(() => renderText(compileTemplate("{{ yaml(text) }}"), scope)).slice(0, 42),
    REASON.slice(0, 30) + "50 ms: make ",
  );
});

Deno.test("a template that took too long for the thread gets a short turn the next time, whatever its data", () => {
  const template = compileTemplate("{% for i in 1..n %}{{ i }}{% endfor %}");
  /** Readings of the clock, one a millisecond, until the result or until another thread is to evaluate. */
  const turnOf = (each: Template, n: number) => {
    const clock = clockOf(1);
    let isElsewhere = false;
    const elsewhere: Scope["elsewhere"] = {
      find: () => undefined,
      request() {
        isElsewhere = true;
        throw new TypeError("elsewhere");
      },
    };
    const scope = scopeOf({ n }, { time: new RenderTime(clock, 1_000, 10), elsewhere });
    try {
      renderText(each, scope);
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
    }
    return { isElsewhere, readings: clock.monotonicMs() - 1 };
  };
  assertEquals(turnOf(template, 10), { isElsewhere: false, readings: 0 });
  const { isElsewhere, readings } = turnOf(template, 40_000);
  assertEquals([isElsewhere, readings > 8], [true, true]);
  const again = turnOf(template, 40_000);
  assertEquals([again.isElsewhere, again.readings < 6], [true, true]);
  assertEquals(turnOf(template, 10).isElsewhere, false);
});

for (const filter of ["regexMatch('(a|b|c|d|e|f|g|h|a)*z')", `jq('test("(a|b|c|d|e|f|g|h|a)*z")')`]) {
  Deno.test(`the clock is read while ${filter} looks for a match`, () => {
    const scope = scopeOf({ text: JSON.stringify("a".repeat(20_000)) }, {
      time: new RenderTime(clockOf(20), 1_000),
    });
    assertEquals(reasonOf(() => renderText(compileTemplate(`{{ text | ${filter} }}`), scope)), REASON);
  });
}
