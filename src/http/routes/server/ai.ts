/** Artificial intelligence: this server has none, and says so to front ends that ask. */
import { Hono } from "hono";
import type { AppEnv } from "../../env.ts";

/** `GET /ai/providers`: an empty list, so that front ends show no assistant. */
export function aiRoutes(): Hono<AppEnv> {
  return new Hono<AppEnv>().get("/ai/providers", (c) => c.json([]));
}
