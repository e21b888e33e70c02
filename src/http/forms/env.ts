/** What the middleware puts at the disposal of routes. */
import type { Actor } from "../../model/access/actor.ts";

/** Environment of every Hono app and route file of the server. */
export interface AppEnv {
  Variables: {
    /** The caller, set by authentication before any route that is not public. */
    actor: Actor;
    /** Id of the request, also in the answer's `X-Request-Id` and in the log. */
    requestId: string;
  };
}
