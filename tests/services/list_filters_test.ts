/** Lists in memory limit the time that the filters of a request take. */
import { assertEquals, assertRejects } from "@std/assert";
import { parseKvValue } from "../../src/model/namespaces/kv_pair.ts";
import { DomainError } from "../../src/model/errors.ts";
import type { Assembly } from "../../src/server/assembly.ts";
import { searchSources } from "../../src/services/flows/flow_search.ts";
import { Harness } from "../support/harness.ts";

const ACTOR = { tenant: "main", user: "anonymous" };
const FLOW = `id: one
namespace: demo
tasks: [{id: a, type: io.kestra.plugin.core.debug.Return, format: a}]
triggers: [{id: t, type: io.kestra.plugin.core.trigger.Schedule, cron: "0 0 1 1 *"}]
`;

type Services = Assembly["services"];

const LISTS:
  readonly (readonly [list: string, read: (services: Services, matches: () => boolean) => unknown])[] = [
    ["a page of flows", ({ flows }, matches) => flows.search(ACTOR, { sort: [], page: 1, size: 1, matches })],
    ["flows", ({ flows }, matches) => flows.filter(ACTOR, matches)],
    [
      "sources",
      ({ flows }, matches) => searchSources(flows, ACTOR, { text: "", sort: [], page: 1, size: 1, matches }),
    ],
    ["triggers", ({ triggers }, matches) => triggers.select(ACTOR, matches)],
    ["KV pairs", ({ kvPairs }, matches) => kvPairs.search(ACTOR, matches)],
    ["secrets", ({ secrets }, matches) => secrets.search(ACTOR, matches)],
  ];
for (const [list, read] of LISTS) {
  Deno.test(`a filter of ${list} must not take more than half a second`, async () => {
    await using server = await Harness.start();
    await server.save(FLOW);
    const { services } = server.assembly;
    await services.kvPairs.put(
      ACTOR,
      { namespace: "demo", key: "k" },
      parseKvValue("v", { isPlainText: true }),
    );
    await services.secrets.put(ACTOR, { namespace: "demo", name: "S" }, "v");
    const slow = () => {
      server.clock.jump(501);
      return true;
    };
    const error = await assertRejects(async () => await read(services, slow), DomainError);
    assertEquals(error.code, "invalid_filter");
  });
}
