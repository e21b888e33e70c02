/** Connections to addresses that the network policy has checked. */
import { connect as connectTcp, isIP, type Socket } from "node:net";
import { connect as connectTls, type ConnectionOptions } from "node:tls";
import type { ConnectAddress } from "../model/tasks/task_definition.ts";

/** The name that the certificate of a server is verified for; of an address it is the one that is connected to. */
export function serverNameOf(host: string): Pick<ConnectionOptions, "servername"> {
  return isIP(host) ? {} : { servername: host };
}

/** Connects to the address of `host`, by TLS if its options are given. */
export function connectSocket(
  { hostname, port }: ConnectAddress,
  host: string,
  tls: ConnectionOptions | undefined,
): Socket {
  const address = { host: hostname, port };
  return tls ? connectTls({ ...address, ...serverNameOf(host), ...tls }) : connectTcp(address);
}
