/** What one durable write costs on this machine: a set of one key after the other, each waiting for its fsync. */
import { KvStore } from "../../../src/store/kv_store.ts";
import { median } from "../figures.ts";

const VALUE = new Uint8Array(168);

/** The middle of the times of the writes of so many seconds, in milliseconds, over a database of its own in that folder. */
export async function rawCommitMs(folder: string, seconds: number): Promise<number> {
  const store = await KvStore.open(`${folder}/raw-commit.db`);
  const times: number[] = [];
  const until = performance.now() + seconds * 1000;
  for (let n = 0; performance.now() < until; n++) {
    const start = performance.now();
    const mutation = { type: "set", key: ["raw", n], value: VALUE } as const;
    await store.commit({ checks: [], mutations: [mutation], messages: [] });
    times.push(performance.now() - start);
  }
  store.close();
  return median(times);
}
