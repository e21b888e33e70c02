import { assertEquals } from "@std/assert";
import { LogRemovals } from "../../../src/services/logs/log_removals.ts";
import { CatalogFixture, FLOWS } from "../../store/catalog/fixture.ts";

type Deps = ConstructorParameters<typeof LogRemovals>[0];

Deno.test("ofFlow() reaches all executions of one start time, also if many of them keep their lines", async () => {
  await using app = await CatalogFixture.open();
  const rows = Array.from({ length: 2_100 }, () => app.facts({ maxLogLevel: "INFO" }));
  for (let i = 0; i < rows.length; i += 500) await app.write(rows.slice(i, i + 500));
  const read = new Set<string>();
  const load = (_tenant: string, id: string) => {
    read.add(id);
    return Promise.resolve({ execution: { id, history: [{ state: "SUCCESS", at: 0 }] } });
  };
  const run = (_tenant: string, _ids: unknown, work: () => unknown) => work();
  const deps = {
    catalog: app.catalog,
    logs: { load },
    executor: { isLive: () => false, deletions: { run } },
    pace: { isDue: false },
  };
  const removals = new LogRemovals(deps as unknown as Deps);
  const [{ namespace, id } = { namespace: "", id: "" }] = FLOWS;
  await removals.ofFlow({ tenant: "main", user: "test" }, { namespace, id, triggerId: "other" });
  assertEquals(read.size, rows.length);
});
