/** Data of the server in a component: loaded, kept while it is loaded again, and refreshed while the page is visible. */
import { type ReadonlySignal, type Signal, useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { ApiError, isAway } from "../api/client.ts";

/** What a component knows of its data. */
export interface Resource<Data> {
  /** The last data; `undefined` before the first load, and after the key has changed. */
  readonly data: Data | undefined;
  /** Why the last load failed; earlier data stay. */
  readonly error: ApiError | undefined;
  readonly isLoading: boolean;
  /** Loads again now. */
  readonly reload: () => Promise<void>;
}

interface LoadState<Data> {
  readonly key: string;
  readonly data?: Data;
  readonly error?: ApiError;
  readonly isLoading: boolean;
}

interface ResourceOptions {
  /** Time from one load to the next; never less than 2 s. Absent: loaded once, or until the server is not away. */
  readonly refreshMs?: number;
  /** While it is true nothing is loaded; what is being loaded when it becomes true is given up. */
  readonly isPaused?: ReadonlySignal<boolean>;
}

const MIN_REFRESH_MS = 2_000;
/** Until data that is loaded once is tried again, if the server was away. */
const RETRY_MS = 5_000;

/** Loads data; again when `key` changes. */
export function useResource<Data>(
  key: string,
  load: (signal: AbortSignal) => Promise<Data>,
  { refreshMs, isPaused }: ResourceOptions = {},
): Resource<Data> {
  const state = useSignal<LoadState<Data>>({ key, isLoading: true });
  const latest = useRef(load);
  latest.current = load;
  const reload = useRef(async () => {});
  useEffect(() => {
    const abort = new AbortController();
    state.value = state.value.key === key ? { ...state.value, isLoading: true } : { key, isLoading: true };
    reload.current = onlyLatest((newer) =>
      unlessPaused(isPaused, (pause) => {
        return loadInto(state, key, latest.current, AbortSignal.any([abort.signal, newer, pause]));
      })
    );
    void reload.current();
    const isWanted = () => {
      const { error } = state.peek();
      return refreshMs !== undefined || (error !== undefined && isAway(error));
    };
    const stop = everyWhileVisible(Math.max(refreshMs ?? RETRY_MS, MIN_REFRESH_MS), async () => {
      if (isWanted()) await reload.current();
    });
    return () => (stop(), abort.abort());
  }, [key, refreshMs]);
  // Data of another key would be those of another page.
  const shown: LoadState<Data> = state.value.key === key ? state.value : { key, isLoading: true };
  return { data: shown.data, error: shown.error, isLoading: shown.isLoading, reload: () => reload.current() };
}

/**
 * A function that runs `load`, whose signal is aborted when it is called again: an older response never replaces a
 * newer one. A load that was given up ends with the one that replaced it.
 */
function onlyLatest(load: (newer: AbortSignal) => Promise<void>): () => Promise<void> {
  let abort = new AbortController();
  let latest = Promise.resolve();
  return async () => {
    abort.abort();
    abort = new AbortController();
    latest = load(abort.signal);
    let awaited: Promise<void> | undefined;
    while (awaited !== latest) {
      awaited = latest;
      await awaited;
    }
  };
}

/** Runs `work`, whose signal is aborted when the pause begins. */
async function unlessPaused(
  isPaused: ReadonlySignal<boolean> | undefined,
  work: (pause: AbortSignal) => Promise<void>,
): Promise<void> {
  const pause = new AbortController();
  const stop = isPaused?.subscribe((isOn) => isOn && pause.abort());
  if (!pause.signal.aborted) await work(pause.signal);
  stop?.();
}

async function loadInto<Data>(
  state: Signal<LoadState<Data>>,
  key: string,
  load: (signal: AbortSignal) => Promise<Data>,
  signal: AbortSignal,
): Promise<void> {
  try {
    const data = await load(signal);
    if (!signal.aborted) state.value = { key, data, isLoading: false };
  } catch (error) {
    if (signal.aborted) return;
    const refusal = error instanceof ApiError ? error : new ApiError(String(error), 0);
    state.value = { ...state.value, key, error: refusal, isLoading: false };
  }
}

/**
 * Calls `run` at intervals while the page is visible, and at once when it becomes visible or the connection is lost or
 * back; returns the end.
 */
function everyWhileVisible(intervalMs: number, run: () => Promise<void>): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isEnded = false;
  const arm = () => {
    clearTimeout(timer);
    if (!isEnded && !document.hidden) timer = setTimeout(() => void run().finally(arm), intervalMs);
  };
  const onChange = () => {
    if (document.hidden) clearTimeout(timer);
    else void run().finally(arm);
  };
  document.addEventListener("visibilitychange", onChange);
  addEventListener("online", onChange);
  addEventListener("offline", onChange);
  arm();
  return () => {
    isEnded = true;
    clearTimeout(timer);
    document.removeEventListener("visibilitychange", onChange);
    removeEventListener("online", onChange);
    removeEventListener("offline", onChange);
  };
}
