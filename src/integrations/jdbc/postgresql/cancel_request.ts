/**
 * The request to cancel what a session runs, by a connection of its own as the protocol has it. It has TLS if the session has it:
 * servers and proxies that require TLS refuse the request otherwise, and its key would be readable.
 * https://www.postgresql.org/docs/current/protocol-flow.html
 */
import { connect, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import type { ConnectAddress } from "../../../model/tasks/task_definition.ts";
import type { PgTls } from "./pg_package.ts";

const CANCEL_CODE = 80_877_102;
const TLS_CODE = 80_877_103;
/** The letter S: the server continues with TLS. */
const ACCEPTED = 0x53;

/** The session whose query is cancelled. */
interface CancelledSession {
  readonly address: ConnectAddress;
  readonly ssl: PgTls | false;
  readonly processID: number;
  readonly secretKey: number;
}

/** Sends the request; calls back when the server has closed the connection, or it fails. Returns what closes it at once. */
export function sendCancelRequest(
  { address: { hostname, port }, ssl, processID, secretKey }: CancelledSession,
  ended: () => void,
): () => void {
  const socket = connect({ host: hostname, port }, () => {
    if (ssl) socket.write(bytesOf(8, TLS_CODE));
    else send(socket);
  });
  const send = (stream: Socket) => {
    stream.resume().end(bytesOf(16, CANCEL_CODE, processID, secretKey));
  };
  socket.on("error", ended).on("close", ended);
  if (ssl) {
    socket.once("data", ([answer]: Uint8Array) => {
      if (answer !== ACCEPTED) return ended();
      const secure = connectTls({ ...ssl, socket }, () => send(secure));
      secure.on("error", ended).on("close", ended);
    });
  }
  return () => socket.destroy();
}

function bytesOf(...values: readonly number[]): Uint8Array {
  const view = new DataView(new ArrayBuffer(4 * values.length));
  values.forEach((value, index) => view.setInt32(4 * index, value));
  return new Uint8Array(view.buffer);
}
