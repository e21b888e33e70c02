/** What the tabs of a browser keep together. */
import { assertEquals } from "../../../support/assert.ts";
import { type Kept, kept } from "../../../../src/ui/app/core/kept.ts";

type Numbers = Readonly<Record<string, number>>;

const KEY = "test.numbers";

/** A storage in memory; one that is full refuses what is written. */
function memory({ isFull = false } = {}): Storage {
  const items = new Map<string, string>();
  const storage: Pick<Storage, "getItem" | "setItem"> = {
    getItem: (key) => items.get(key) ?? null,
    setItem: (key, text) => {
      if (isFull) throw new DOMException("full", "QuotaExceededError");
      items.set(key, text);
    },
  };
  return storage as Storage;
}

function open(storage: () => Storage): Kept<Numbers> {
  return kept<Numbers>(KEY, (stored) => stored as Numbers ?? {}, storage);
}

function set(tab: Kept<Numbers>, change: Numbers): void {
  tab.change((present) => ({ ...present, ...change }));
}

/** Dispatches the event of a write by another tab. */
function tell(key: string | null): void {
  dispatchEvent(Object.assign(new Event("storage"), { key }));
}

Deno.test("a tab changes what another one has written since, before it was told", () => {
  const storage = memory();
  const [first, second] = [open(() => storage), open(() => storage)];
  set(first, { a: 1 });
  set(second, { b: 2 });
  assertEquals([second.value.value, open(() => storage).value.value], [{ a: 1, b: 2 }, { a: 1, b: 2 }]);
});

Deno.test("a tab shows what another one has written once it is told", () => {
  const storage = memory();
  const [first, second] = [open(() => storage), open(() => storage)];
  set(first, { a: 1 });
  tell("test.other");
  assertEquals(second.value.value, {});
  tell(KEY);
  assertEquals(second.value.value, { a: 1 });
  set(first, { a: 2 });
  tell(null);
  assertEquals(second.value.value, { a: 2 });
});

Deno.test("without storage, or with a full one, changes last until the page is closed", () => {
  const denied = () => {
    throw new DOMException("denied", "SecurityError");
  };
  const full = memory({ isFull: true });
  for (const storage of [denied, () => full]) {
    const tab = open(storage);
    set(tab, { a: 1 });
    set(tab, { b: 2 });
    assertEquals(tab.value.value, { a: 1, b: 2 });
  }
});

Deno.test("a stored value that is not JSON is ignored", () => {
  const storage = memory();
  storage.setItem(KEY, "{");
  assertEquals(open(() => storage).value.value, {});
});
