/** All attacks, in the order of the table. */
import type { Attack } from "./attack.ts";
import { idleConnections, tricklingConnections } from "./connections.ts";
import { largeLists } from "./lists.ts";
import { loginStampede } from "./logins.ts";
import { endlessRenders } from "./renders.ts";
import { eventStreams } from "./streams.ts";

/** Every attack. */
export const ATTACKS: readonly Attack[] = [
  idleConnections,
  tricklingConnections,
  eventStreams,
  largeLists,
  loginStampede,
  endlessRenders,
];
