/** What a process serves itself that does not lead: probes, assets, its own metrics. Everything else goes to the leader. */
import { Hono } from "hono";
import type { DomainError } from "../model/errors.ts";
import type { ServerMetric } from "../model/server_metric.ts";
import type { Bundle } from "../ui/bundle.ts";
import type { AppEnv } from "./env.ts";
import { rawPath } from "./pipeline/canonical_path.ts";
import { ASSETS_PATH } from "./pipeline/mount.ts";
import { RequestIds } from "./pipeline/request_id.ts";
import { setSecurityHeaders } from "./pipeline/security_headers.ts";
import { problemResponse } from "./responses/problem.ts";
import { type HealthDeps, healthRoutes, pingRoutes } from "./routes/server/health.ts";
import { assetRoutes } from "./routes/server/pages.ts";
import { serverMetricRoutes } from "./routes/server/server_metrics.ts";
import type { RandomBytes } from "../base/id.ts";

/** Parts of the application of a follower. */
export interface FollowerDeps extends HealthDeps {
  readonly bundle?: Bundle;
  /** Sends a request to the leader; refuses it where there is no leader. */
  readonly forward: (request: Request, connection: unknown) => Promise<Response>;
  /** Metrics of this process. */
  readonly metrics: () => Promise<readonly ServerMetric[]>;
  readonly randomBytes: RandomBytes;
}

const PROBES = /^\/(?:ping|health(?:\/(?:liveness|readiness))?)$/;
const METRICS = /^\/(?:metrics|prometheus)$/;
/** The key of a webhook is a part of its path. */
const WEBHOOK = /^(.*\/executions\/webhook)\/.*/;

/** The application of a follower. */
export class FollowerApp {
  readonly #deps: FollowerDeps;
  readonly #local: Hono<AppEnv>;
  readonly #requestIds: RequestIds;

  constructor(deps: FollowerDeps) {
    this.#deps = deps;
    this.#requestIds = new RequestIds(deps.randomBytes);
    this.#local = new Hono<AppEnv>()
      .route("/ping", pingRoutes())
      .route("/health", healthRoutes(deps))
      .route(ASSETS_PATH, assetRoutes(deps.bundle))
      .route("/", serverMetricRoutes(deps.metrics));
    this.#local.onError((error) => new Response(error.message, { status: 404 }));
  }

  /** Handles a request. */
  async fetch(request: Request, connection: unknown): Promise<Response> {
    const path = rawPath(request.url);
    if (PROBES.test(path)) return await this.#serve(request);
    if (METRICS.test(path)) return await this.#serveMetrics(request, connection);
    if (!path.startsWith(`${ASSETS_PATH}/`)) return await this.#deps.forward(request, connection);
    const asset = await this.#serve(request);
    // The page of a leader of another version names other assets.
    return asset.status === 404 ? await this.#deps.forward(request, connection) : asset;
  }

  /** The response to a request that is refused before a route is matched. */
  refuse(request: Request, refusal: DomainError): Response {
    const requestId = this.#requestIds.of(request.headers.get("x-request-id"));
    const response = problemResponse(refusal, {
      path: rawPath(request.url).replace(WEBHOOK, "$1"),
      requestId,
      accept: request.headers.get("accept"),
      baseUrl: "",
    });
    response.headers.set("x-request-id", requestId);
    return protect(response, false);
  }

  /** Only the leader knows the callers: whoever may read its metrics may read those of this process. */
  async #serveMetrics(request: Request, connection: unknown): Promise<Response> {
    const response = await this.#deps.forward(request, connection);
    if (!response.ok) return response;
    await response.body?.cancel();
    return await this.#serve(request);
  }

  async #serve(request: Request): Promise<Response> {
    return protect(await this.#local.fetch(request), rawPath(request.url).startsWith(ASSETS_PATH));
  }
}

function protect(response: Response, isPage: boolean): Response {
  setSecurityHeaders(response.headers, { isPage, isHttps: false });
  return response;
}
