/** Values that this browser keeps. All its tabs share them. */
import { type Signal, signal } from "@preact/signals";

/** A kept value. */
export interface Kept<Value> {
  readonly value: Signal<Value>;
  /** Changes what is kept now, which another tab may have written. */
  readonly change: (changed: (present: Value) => Value) => void;
}

/** The value under a key; `parse` gets the stored JSON, `undefined` without one. */
export function kept<Value>(
  key: string,
  parse: (stored: unknown) => Value,
  storage = () => localStorage,
): Kept<Value> {
  const read = () => parse(storedAt(storage, key));
  const value = signal(read());
  // Without storage, or with a full one, a value lasts until the page is closed.
  let isStored = true;
  addEventListener("storage", (event) => {
    // Without a key all that was stored is gone.
    if (event.key === key || event.key === null) value.value = read();
  });
  const change = (changed: (present: Value) => Value) => {
    value.value = changed(isStored ? read() : value.peek());
    try {
      storage().setItem(key, JSON.stringify(value.peek()));
      isStored = true;
    } catch {
      isStored = false;
    }
  };
  return { value, change };
}

function storedAt(storage: () => Storage, key: string): unknown {
  try {
    return JSON.parse(storage().getItem(key) ?? "null") ?? undefined;
  } catch {
    return undefined;
  }
}
