/** Opens connections to servers of files, for tasks and triggers. */
import type { WorkContext } from "../../model/tasks/task_definition.ts";
import type { Protocol } from "./connection.ts";
import type { RemoteFiles } from "./remote_files.ts";

/** Works with an open connection; a stop of the attempt closes it at once. @throws Error with protocol, host and words of the server */
export async function withRemoteFiles<T>(
  protocol: Protocol,
  context: WorkContext,
  work: (files: RemoteFiles) => Promise<T>,
): Promise<T> {
  const { withSession } = protocol === "sftp"
    ? await import("./sftp_session.ts")
    : await import("./ftp_session.ts");
  return await withSession(protocol, context, work);
}
