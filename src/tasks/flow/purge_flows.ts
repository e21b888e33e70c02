/** `core.flow.PurgeFlows`: deletes old revisions of flows. */
import type { JsonObject } from "../../base/json.ts";
import { dynamicProperty, dynamicText, type PropertySchemas } from "../../model/flows/schema.ts";
import type { RunnableTaskType } from "../../model/tasks/task_catalog.ts";
import { compileGlobs } from "../../model/namespaces/glob.ts";
import { mapOf, oneOf, textOf, wholeNumberOf } from "../property_values.ts";
import { PURGED_NAMESPACES, purgedNamespaces } from "../purge_properties.ts";

const BEHAVIORS = ["version"] as const;
const DEFAULT_BEHAVIOR: JsonObject = Object.freeze({});

const BEHAVIOR: PropertySchemas = Object.freeze({
  type: { type: "string", required: true, values: BEHAVIORS, description: "What is deleted: revisions." },
  keepAmount: dynamicProperty(
    "integer",
    "Number of revisions of each flow to keep; the latest always stays.",
    {
      minimum: 0,
    },
  ),
  before: dynamicProperty("dateTime", "Deletes revisions that were saved before that time.", {
    planned: true,
  }),
});

/** Output: `size`. */
export const purgeFlowsTask: RunnableTaskType = {
  form: "runnable",
  pure: false,
  type: "core.flow.PurgeFlows",
  aliases: [],
  description:
    "Deletes old revisions of flows. The latest revision of a flow stays, and each that an execution which has " +
    "not ended needs.",
  properties: {
    ...PURGED_NAMESPACES,
    flowPattern: dynamicText("Glob of the ids of the flows; default is all."),
    behavior: dynamicProperty("object", "Which revisions are deleted; default is all but the latest one.", {
      properties: BEHAVIOR,
    }),
  },
  outputs: { size: { type: "integer", description: "Number of revisions deleted." } },
  async run(properties, context) {
    const behavior = mapOf(properties, "behavior") ?? DEFAULT_BEHAVIOR;
    const type = textOf(behavior, "type");
    if (type !== undefined) oneOf(BEHAVIORS, type, "type");
    const pattern = textOf(properties, "flowPattern") || undefined;
    const size = await context.ports.flows.purgeRevisions(context, {
      namespaces: purgedNamespaces(properties, "flows"),
      flowIds: pattern === undefined ? () => true : compileGlobs([pattern]),
      keep: Math.max(1, wholeNumberOf(behavior, "keepAmount", { fallback: 1, minimum: 0 })),
    });
    return { state: "SUCCESS", outputs: { size } };
  },
};
