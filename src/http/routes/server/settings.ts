/** Settings of the server that operators look up. None is a secret. */
import { Hono } from "hono";
import { formatDuration } from "../../../base/time/duration.ts";
import type { AppEnv } from "../../env.ts";
import type { HttpConfig } from "../../pipeline/config.ts";

/** `GET /`: retention, limits and places; what is not set is left out. */
export function settingRoutes(config: HttpConfig): Hono<AppEnv> {
  const { retention: { maxAgeMs, maxCount } = {}, maxUploadBytes, isProtected, dataDir } = config;
  const maxAge = maxAgeMs === undefined ? undefined : formatDuration(maxAgeMs);
  const body = { retention: { maxAge, maxCount }, maxUploadBytes, isProtected, dataDir };
  return new Hono<AppEnv>().get("/", (c) => c.json(body));
}
