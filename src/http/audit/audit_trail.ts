/** Makes the records of the audit log from requests: of changes that succeeded, of log-ins, and of what was refused. */
import { Buffer } from "node:buffer";
import type { Clock } from "../../base/time/clock.ts";
import type { Logger } from "../../base/log.ts";
import { LruCache } from "../../base/lru.ts";
import type { AuditEvent, AuditScope } from "../../model/audit.ts";
import { DomainError } from "../../model/errors.ts";
import { ANONYMOUS } from "../../model/access/user.ts";
import type { AuditedRequest, AuditedRoute, RequestAudit, RouteAudit } from "../pipeline/audit.ts";
import type { ClientAddresses } from "../pipeline/client_addresses.ts";
import { operationOf, type RouteOperation } from "./audited_operations.ts";

interface AuditTrailDeps {
  /** Stores an event; resolves once it is durable. */
  readonly add: (event: AuditEvent) => Promise<void>;
  readonly scope: AuditScope;
  readonly clients: ClientAddresses;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Equal refusals within this time are one record, so that a caller who repeats them does not fill the disk. */
const REFUSAL_MS = 60_000;
const MAX_REFUSALS = 1_000;
const FILE_PARAMETERS = ["path", "from", "to"];

/** Records requests. */
export class AuditTrail implements RequestAudit {
  readonly #deps: AuditTrailDeps;
  /** When refusals were recorded, by caller, address and operation. */
  readonly #refusals = new LruCache<string, number>(MAX_REFUSALS);

  constructor(deps: AuditTrailDeps) {
    this.#deps = deps;
  }

  /** @inheritdoc */
  of(route: AuditedRoute): RouteAudit {
    // Most routes of a server are never called.
    let known: RouteOperation | undefined;
    return {
      record: (request) => {
        const operation = known ??= operationOf(route);
        const isChange = operation.kind === "change" ||
          (operation.kind === "start" && this.#deps.scope === "all");
        const { status } = request;
        // Most requests: reads, starts and what workers send.
        if (!isChange && status !== 403 && status !== 401) return undefined;
        if (status === 403 || status === 401) return this.#recordRefusal(route, operation, request);
        return status < 400 ? this.#recordChange(route, operation, request) : undefined;
      },
    };
  }

  #recordChange(
    route: AuditedRoute,
    operation: RouteOperation,
    request: AuditedRequest,
  ): Promise<void> | undefined {
    const user = request.c.get("claimedUser") ?? request.caller?.user;
    // Who has no session cannot log out.
    if (user === undefined || (operation.type === "LOGOUT" && !request.c.get("claimedUser"))) {
      return undefined;
    }
    return this.#deps.add(this.#eventOf(route, operation, { ...request, user })).catch((error: Error) => {
      this.#deps.logger.error("A change has no record in the audit log", {
        operation: operation.name,
        reason: error.message,
      });
      const text = "The change was made, but its record in the audit log could not be stored";
      throw new DomainError("outcome_unknown", `${text}: ${error.message}`, { cause: error });
    });
  }

  #recordRefusal(
    route: AuditedRoute,
    operation: RouteOperation,
    request: AuditedRequest,
  ): Promise<void> | undefined {
    const { c, caller, status } = request;
    const { clock, logger } = this.#deps;
    const user = status === 401 ? c.get("claimedUser") ?? basicUser(c.req.raw) : caller?.user;
    // Unknown tokens are in the log of the server only: anyone can send any number of them.
    if (user === undefined) return undefined;
    const attempted: RouteOperation = status === 401
      ? { ...operation, name: "login", type: "LOGIN" }
      : operation;
    const event = this.#eventOf(route, attempted, { ...request, user });
    if (status === 403) {
      const key = JSON.stringify([user, event.tokenId, event.address, event.operation]);
      const last = this.#refusals.get(key);
      if (last !== undefined && clock.now() - last < REFUSAL_MS) return undefined;
      this.#refusals.set(key, clock.now());
    }
    // The refusal stands without its record.
    return this.#deps.add(event).catch((error: Error) =>
      logger.warn("A refusal has no record in the audit log", {
        operation: event.operation,
        reason: error.message,
      })
    );
  }

  #eventOf(
    route: AuditedRoute,
    { name, type }: RouteOperation,
    { c, caller, status, user }: AuditedRequest & { readonly user: string },
  ): AuditEvent {
    const { clients, clock } = this.#deps;
    const parameters = type === "LOGIN" ? [] : parametersOf(route, c);
    return {
      at: clock.now(),
      type,
      operation: name,
      method: route.method,
      status,
      user: user === "" ? ANONYMOUS : user,
      tokenId: caller?.tokenId,
      address: clients.of(c.req.raw, c.env),
      tenant: parameters.find(([name]) => name === "tenant")?.[1],
      resources: [...parameters, ...c.get("auditedIds") ?? []].filter(([name]) => name !== "tenant"),
    };
  }
}

/** The parameters of the path by the pattern of the route; of a webhook, those before its key. */
function parametersOf({ path, access }: AuditedRoute, { req }: AuditedRequest["c"]): [string, string][] {
  const names = [...path.matchAll(/:(\w+)/g)].map(([, name = ""]) => name);
  const isExecution = path.includes("/executions/:id");
  const shown = access === "webhook" ? names.filter((name) => name !== "key") : names;
  const ids = shown.flatMap((name): [string, string][] => {
    const value = req.param(name);
    return value === undefined ? [] : [[isExecution && name === "id" ? "executionId" : name, value]];
  });
  // Files are named by the query.
  const paths = path.includes("/:namespace/files") ? FILE_PARAMETERS : [];
  return [
    ...ids,
    ...paths.flatMap((name): [string, string][] => req.query(name) ? [[name, req.query(name) ?? ""]] : []),
  ];
}

/** The user that a request names by HTTP Basic credentials. */
function basicUser({ headers }: Request): string | undefined {
  const [, value] = /^basic\s+(\S+)/i.exec(headers.get("authorization") ?? "") ?? [];
  const text = value === undefined ? "" : Buffer.from(value, "base64").toString("utf8");
  const colon = text.indexOf(":");
  return colon > 0 ? text.slice(0, colon) : undefined;
}
