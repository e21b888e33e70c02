/** Actions on one execution. Each action has two paths: `/{id}/actions/x`, and `/{id}/x` for older clients. */
import { type Context, Hono } from "hono";
import { MAX_INPUT_VALUE_BYTES } from "../../../model/limits.ts";
import {
  type ExecutionActions,
  type Request,
  TASK_RUN_STATES,
  UNQUEUED_STATES,
} from "../../../services/executions/execution_actions.ts";
import type { ExecutionReplays, ReplayOptions } from "../../../services/executions/execution_replays.ts";
import { mediaTypeOf, readJson, readOptionalJson, readText } from "../../bodies/body.ts";
import { isJsonObject, ownProperty } from "../../../base/json.ts";
import { invalidArgument } from "../../refusals.ts";
import type { AppEnv } from "../../env.ts";
import {
  endStateIn,
  EXECUTION_ID,
  executionIdOf,
  formReader,
  labelsIn,
  stateIn,
  textIn,
} from "../../forms/execution_request.ts";
import { jsonResponse } from "../../responses/json_response.ts";
import { queryOf, readBoolean, readRequired } from "../../forms/params.ts";
import { readBreakpoints, readRevision } from "../../forms/start_query.ts";

interface ExecutionActionRoutesDeps {
  readonly actions: ExecutionActions;
  readonly replays: ExecutionReplays;
  /** Largest form of a resume or replay. */
  readonly maxUploadBytes: number;
}

/** Returns the JSON text of the response. */
type Handler = (c: Context<AppEnv>) => Promise<string>;

/** Routes under `/executions/{id}`, relative to the tenant. */
export function executionActionRoutes(deps: ExecutionActionRoutesDeps): Hono<AppEnv> {
  const routes = new Hono<AppEnv>();
  addActions(routes, deps);
  addKill(routes, deps);
  addResume(routes, deps);
  addReplay(routes, deps);
  addTaskRuns(routes, deps);
  return routes;
}

/** The path of older clients has the shape of a start; its first segment, an execution id, tells them apart. */
function post(routes: Hono<AppEnv>, name: string, handler: Handler): void {
  const response = async (c: Context<AppEnv>) => jsonResponse(await handler(c));
  routes.post(`/executions/${EXECUTION_ID}/${name}`, response);
  routes.post(`/executions/:id/actions/${name}`, response);
}

type ReadRequest = (c: Context<AppEnv>) => Request | Promise<Request>;

/** Actions read from the query or a small body. */
const PLAIN: ReadonlyMap<string, ReadRequest> = new Map<string, ReadRequest>([
  ["pause", () => ({ type: "pause_asked" })],
  [
    "resume-from-breakpoint",
    (c) => ({ type: "breakpoint_passed", breakpoints: readBreakpoints(queryOf(c)) }),
  ],
  [
    "change-status",
    (c) => ({ type: "state_set", state: endStateIn(readRequired(queryOf(c), "status")) }),
  ],
  ["labels", async (c) => ({ type: "labels_set", labels: labelsIn(await readJson(c)) })],
  [
    "unqueue",
    (c) => ({ type: "unqueued", state: stateIn(queryOf(c).get("state") || "RUNNING", UNQUEUED_STATES) }),
  ],
  ["force-run", (c) => ({ type: "run_forced", by: c.get("actor").user })],
]);

function addActions(routes: Hono<AppEnv>, { actions }: ExecutionActionRoutesDeps): void {
  for (const [name, read] of PLAIN) {
    post(routes, name, async (c) => actions.run(c.get("actor"), executionIdOf(c), await read(c)));
  }
}

function addKill(routes: Hono<AppEnv>, { actions }: ExecutionActionRoutesDeps): void {
  const kill: Handler = (c) => {
    const sparesChildren = !readBoolean(queryOf(c), "isOnKillCascade", true);
    return actions.run(c.get("actor"), executionIdOf(c), { type: "kill_asked", sparesChildren });
  };
  post(routes, "kill", kill);
  for (const path of ["/executions/:id/kill", "/executions/:id/actions/kill"]) {
    routes.delete(path, async (c) => jsonResponse(await kill(c)));
  }
}

function addResume(routes: Hono<AppEnv>, { actions, maxUploadBytes }: ExecutionActionRoutesDeps): void {
  post(routes, "resume", (c) => {
    return actions.resume(c.get("actor"), executionIdOf(c), formReader(c, maxUploadBytes));
  });
  post(routes, "resume/validate", (c) => {
    return actions.validateResume(c.get("actor"), executionIdOf(c), formReader(c, maxUploadBytes));
  });
}

function addReplay(routes: Hono<AppEnv>, { replays, maxUploadBytes }: ExecutionActionRoutesDeps): void {
  post(routes, "restart", (c) => replays.restart(c.get("actor"), executionIdOf(c), readRevision(queryOf(c))));
  post(routes, "replay", async (c) => {
    const options = { ...readReplay(c), outputs: await readOutputs(c) };
    return await replays.replay(c.get("actor"), executionIdOf(c), options);
  });
  post(routes, "replay-with-inputs", (c) => {
    const options = { ...readReplay(c), readForm: formReader(c, maxUploadBytes) };
    return replays.replay(c.get("actor"), executionIdOf(c), options);
  });
}

function readReplay(c: Context<AppEnv>): ReplayOptions {
  const query = queryOf(c);
  return {
    taskRunId: query.get("taskRunId") || undefined,
    revision: readRevision(query),
    breakpoints: readBreakpoints(query),
    // Clients of this path read RUNNING; those of the older one read CREATED.
    showsFirstSteps: /\/actions\/[^/]+$/.test(c.req.path),
  };
}

/** The member `outputs` of a JSON body; older clients send other bodies. @throws DomainError invalid_json, invalid_argument */
async function readOutputs(c: Context<AppEnv>): Promise<ReplayOptions["outputs"]> {
  if (mediaTypeOf(c.req.raw) !== "application/json") return undefined;
  const body = await readOptionalJson(c);
  const given = isJsonObject(body) ? ownProperty(body, "outputs") ?? undefined : undefined;
  if (given === undefined) return undefined;
  const entries = isJsonObject(given) ? Object.entries(given) : [];
  const objects = entries.flatMap(([id, outputs]) => isJsonObject(outputs) ? [[id, outputs] as const] : []);
  if (isJsonObject(given) && objects.length === entries.length) return new Map(objects);
  throw invalidArgument('"outputs" must have an object for each id of a task run');
}

function addTaskRuns(routes: Hono<AppEnv>, { actions }: ExecutionActionRoutesDeps): void {
  post(routes, "state", async (c) => {
    const body = await readJson(c);
    const state = stateIn(textIn(body, "state"), TASK_RUN_STATES);
    return await actions.setTaskState(c.get("actor"), executionIdOf(c), textIn(body, "taskRunId"), state);
  });

  const evaluate = async (c: Context<AppEnv>, taskRunId: string | undefined) => {
    const id = executionIdOf(c);
    const expression = await readText(c, MAX_INPUT_VALUE_BYTES);
    return await actions.evaluate(c.get("actor"), id, taskRunId, expression);
  };
  post(routes, "eval/:taskRunId", (c) => evaluate(c, c.req.param("taskRunId")));
  post(routes, "eval", (c) => evaluate(c, queryOf(c).get("taskRunId") || undefined));
}
