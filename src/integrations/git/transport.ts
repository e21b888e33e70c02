/** How the library reaches a repository of another server: by HTTP or by SSH. */
import type { TaskContext } from "../../model/tasks/task_definition.ts";
import { withTextFailure } from "./failure.ts";
import { gitHttp, type Transport } from "./http.ts";
import type { Remote } from "./remote.ts";

/** Runs an operation, such as `push to`. @throws Error with operation, host and words of the server */
export async function withTransport<T>(
  operation: string,
  { context, remote }: { readonly context: TaskContext; readonly remote: Remote },
  work: (transport: Transport) => Promise<T>,
): Promise<T> {
  const named = `${operation} "${remote.host}"`;
  const { ssh, credentials, url } = remote;
  if (ssh) {
    const { withSshTransport } = await import("./ssh.ts");
    const address = await context.connectAddress(ssh.host, ssh.port);
    return await withTextFailure(
      named,
      () => withSshTransport(ssh, { address, signal: context.signal }, work),
    );
  }
  const http = gitHttp(context);
  // A server that refuses the credentials is asked once.
  const auth = credentials && { onAuth: () => credentials, onAuthFailure: () => ({ cancel: true }) };
  return await withTextFailure(named, () => work({ url, http, ...auth }), http);
}
