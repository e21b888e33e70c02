/** Lets the code that reads a request body or produces a response body notice that the client has stopped moving it. */

/** One body that is on its way. Only the time in which the client is waited for counts. */
export interface TransferWatch {
  /** The client must send or read now; called again, it has no effect. */
  wait(): void;
  /** The client has sent or read so many bytes. */
  moved(bytes: number): void;
  /** The body is over. May be called twice. */
  end(): void;
}

/** Watches the transfers of a server. */
export interface TransferWatcher {
  /** `onStalled` is called once, when the client was waited for so many seconds and has moved next to nothing. */
  watch(maxWaitSeconds: number, onStalled: () => void): TransferWatch;
}

const WATCHER = Symbol("transfer watcher");

/** Gives a request the watcher of its server. A property, since an entry of a WeakMap costs some 0.2 µs a request. */
export function attachWatcher(request: Request, watcher: TransferWatcher): void {
  (request as Request & { [WATCHER]?: TransferWatcher })[WATCHER] = watcher;
}

/** Watches a body of the request or of its response; `undefined` when no server with a watcher received the request. */
export function watchTransfer(
  request: Request,
  maxWaitSeconds: number,
  onStalled: () => void,
): TransferWatch | undefined {
  return (request as Request & { [WATCHER]?: TransferWatcher })[WATCHER]?.watch(maxWaitSeconds, onStalled);
}

/** Gives a request that was made from another one the watcher of that one. */
export function shareWatcher(from: Request, to: Request): void {
  const watcher = (from as Request & { [WATCHER]?: TransferWatcher })[WATCHER];
  if (watcher) attachWatcher(to, watcher);
}
