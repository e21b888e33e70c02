/** An execution that is loaded again before the earlier response is there. */
import { assertEquals } from "../../../../support/assert.ts";
import { LiveExecution } from "../../../../../src/ui/app/views/execution/live_execution.ts";

/** Streams that are open. */
const open = new Set<unknown>();

class FakeEventSource {
  static readonly CLOSED = 2;

  constructor() {
    open.add(this);
  }

  close(): void {
    open.delete(this);
  }
}

/** Runs `test` with what only browsers have. `requests` are those that were sent; the test responds to them. */
async function withPage(
  test: (requests: readonly PromiseWithResolvers<Response>[]) => Promise<void>,
): Promise<void> {
  const requests: PromiseWithResolvers<Response>[] = [];
  const fakes = {
    document: { hidden: false, addEventListener() {}, removeEventListener() {} },
    location: { pathname: "/ui/executions", origin: "http://localhost" },
    EventSource: FakeEventSource,
    fetch: () => {
      const request = Promise.withResolvers<Response>();
      requests.push(request);
      return request.promise;
    },
  };
  const former = Object.keys(fakes).map((name) =>
    [name, Object.getOwnPropertyDescriptor(globalThis, name)] as const
  );
  for (const [name, value] of Object.entries(fakes)) {
    Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
  }
  try {
    await test(requests);
  } finally {
    for (const [name, descriptor] of former) {
      if (descriptor) Object.defineProperty(globalThis, name, descriptor);
      else Reflect.deleteProperty(globalThis, name);
    }
  }
}

const inState = (current: string) => Response.json({ id: "a", state: { current, histories: [] } });

/** States of the older and the newer response, and the number of open streams afterwards. */
const CASES = [["RUNNING", "SUCCESS", 0], ["RUNNING", "PAUSED", 1], ["SUCCESS", "RUNNING", 1]] as const;

for (const [older, newer, streams] of CASES) {
  Deno.test(`an older response (${older}) does not replace a newer one (${newer})`, async () => {
    await withPage(async (requests) => {
      const live = new LiveExecution("a");
      const reloads = [live.reload(), live.reload()] as const;
      requests[2]?.resolve(inState(newer));
      await reloads[1];
      requests[1]?.resolve(inState(older));
      await reloads[0];
      assertEquals([live.execution.value?.state.current, open.size], [newer, streams]);
      live.close();
      assertEquals(open.size, 0);
    });
  });
}

Deno.test("an error that is older than a response is not shown", async () => {
  await withPage(async (requests) => {
    const live = new LiveExecution("a");
    const reloads = [live.reload(), live.reload()] as const;
    requests[2]?.resolve(inState("RUNNING"));
    await reloads[1];
    requests[1]?.resolve(Response.json({ message: "gone" }, { status: 404 }));
    await reloads[0];
    assertEquals([live.error.value, live.isReconnecting.value], [undefined, false]);
    live.close();
  });
});
