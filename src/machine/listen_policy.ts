/** Addresses at which triggers may listen: loopback, and those that `--listen-triggers` names. */
import { parseIp } from "../base/network/ip.ts";
import { IpRanges } from "../base/network/ip_ranges.ts";
import { MAIN_TENANT } from "../model/flows/flow.ts";
import type { ListenPort } from "../model/ports/listening.ts";

const OPTION = "--listen-triggers";
const LOOPBACK = new IpRanges(["127.0.0.0/8", "::1"]);
/** All addresses of the machine. To connect to them means loopback; to listen on them does not. */
const UNSPECIFIED = new IpRanges(["0.0.0.0", "::"]);

/** Allows loopback addresses and those of the option to flows of the tenant `main`. */
export class ListenPolicy implements ListenPort {
  readonly #allowed: IpRanges;
  readonly #allowsAll: boolean;

  constructor(allowed: readonly string[] = []) {
    this.#allowed = new IpRanges(allowed);
    this.#allowsAll = allowed.some((text) => text === "all" || parseIp(text) && UNSPECIFIED.has(text));
  }

  /** @inheritdoc */
  addressFor(tenant: string, host: string): string {
    if (tenant !== MAIN_TENANT) {
      throw new Error(
        `Cannot listen: only flows of the tenant "${MAIN_TENANT}" may open ports of this machine`,
      );
    }
    const address = host === "localhost" ? "127.0.0.1" : host.replace(/^\[(.*)\]$/, "$1");
    const bytes = parseIp(address);
    if (bytes === undefined) {
      throw new Error(`Cannot listen on "${host}": it must be an IP address of this machine, or localhost`);
    }
    const isAllowed = UNSPECIFIED.hasBytes(bytes) ? this.#allowsAll : this.#allowed.hasBytes(bytes);
    if (LOOPBACK.hasBytes(bytes) || isAllowed) return address;
    throw new Error(
      `Cannot listen on "${host}": triggers listen on loopback addresses; ${OPTION} makes exceptions`,
    );
  }
}
