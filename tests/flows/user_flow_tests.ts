/** Declares a test for each file of some groups, and one that states the share of SUCCESS. */
import { assertEquals } from "@std/assert";
import type { HarnessOptions } from "../support/harness.ts";
import { checkExpectation } from "./expectations.ts";
import { play } from "./play.ts";
import { type Expectation, readGroup, type UserFlow } from "./user_flow.ts";

/** How the flows of some groups are run. */
export interface UserFlowTests {
  /** Said of the share, such as "with Podman". */
  readonly machine: string;
  readonly groups: readonly string[];
  readonly options?: HarnessOptions;
  /** Default: what the file expects. */
  readonly expectationOf?: (flow: UserFlow) => Expectation;
  /** Why none of them can run here; `undefined`: they can. */
  readonly problem?: string;
}

/** Declares the tests. */
export function testUserFlows(tests: UserFlowTests): void {
  const { machine, groups, options = {}, expectationOf = ({ scenario }) => scenario.expect ?? {} } = tests;
  const flows = groups.flatMap(readGroup);
  /** States by flow; `undefined`: it did not end as expected. */
  const ended = new Map<string, string | undefined>();
  for (const flow of flows) {
    Deno.test(`users' flows ${machine}: ${flow.name}: ${flow.about}`, async (test) => {
      const problem = tests.problem ?? missingProgram(flow);
      if (problem !== undefined) return void await test.step({ name: problem, ignore: true, fn() {} });
      const expect = expectationOf(flow);
      ended.set(flow.name, undefined);
      await play(flow, { expect, options, check: (played) => checkExpectation(flow, expect, played) });
      ended.set(flow.name, expect.state ?? "SUCCESS");
    });
  }
  Deno.test(`users' flows ${machine}: each ends as its file says`, () => {
    const states = [...ended.values()];
    const good = states.filter((state) => state === "SUCCESS").length;
    const wrong = states.filter((state) => state === undefined).length;
    const share = `${good} of ${states.length} end in SUCCESS, ${
      states.length - good - wrong
    } in another state`;
    const rest = `${wrong} not as expected, ${flows.length - states.length} skipped`;
    Deno.stdout.writeSync(
      new TextEncoder().encode(`\nusers' flows ${machine}: ${share} as expected, ${rest}\n`),
    );
    assertEquals(wrong, 0);
  });
}

function missingProgram({ scenario: { needs = [] } }: UserFlow): string | undefined {
  const missing = needs.find((program) => !hasProgram(program));
  return missing && `no ${missing} on this machine`;
}

function hasProgram(program: string): boolean {
  const args = ["-c", `command -v ${program}`];
  return new Deno.Command("/bin/sh", { args, stdout: "null", stderr: "null" }).outputSync().success;
}
