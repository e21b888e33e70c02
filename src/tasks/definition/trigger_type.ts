/** Makes trigger types of the catalog from definitions. */
import type { JsonObject } from "../../base/json.ts";
import type { PropertySchema } from "../../model/flows/schema.ts";
import { dynamicProperties } from "../../model/tasks/task_definition.ts";
import type {
  ListenContext,
  PollContext,
  PollFinding,
  PollingTriggerType,
  RealtimeTriggerType,
} from "../../model/triggers/trigger_catalog.ts";
import type {
  RealtimeDefinition,
  TriggerContext,
  TriggerDefinition,
} from "../../model/triggers/trigger_definition.ts";
import type { ListenerContext } from "../../model/triggers/machine_trigger.ts";
import { DefinedWork } from "./defined_context.ts";
import { withOwnDirectory } from "./own_directory.ts";
import { connectAddress, sendRequest } from "./send_request.ts";
import { typedProperties } from "./typed_properties.ts";

const INTERVAL: PropertySchema = Object.freeze({
  type: "duration",
  default: "PT1M",
  description: "Time from one poll to the next.",
});

/** The trigger type of a definition. */
export function triggerTypeOf(definition: TriggerDefinition): PollingTriggerType {
  const { type, aliases = [], title, description, outputs, examples } = definition;
  return {
    form: "polling",
    type,
    aliases,
    title,
    description,
    properties: { interval: INTERVAL, ...dynamicProperties(definition.properties) },
    outputs,
    examples,
    poll: (properties, context) => poll(definition, properties, context),
  };
}

async function poll(
  definition: TriggerDefinition,
  properties: JsonObject,
  context: PollContext,
): Promise<PollFinding | undefined> {
  const typed = typedProperties(properties, definition.properties);
  const variables = await withOwnDirectory(
    { ...context.keeper, ports: context.ports },
    (directory) => definition.poll(new DefinedPoll(context, { properties: typed, directory })),
  );
  return variables && { variables };
}

/** One poll of a defined trigger. */
class DefinedPoll extends DefinedWork implements TriggerContext {
  readonly trigger: TriggerContext["trigger"];
  readonly state: TriggerContext["state"];
  readonly whenDurable: TriggerContext["whenDurable"];
  readonly whenOver: TriggerContext["whenOver"];

  constructor(context: PollContext, options: ConstructorParameters<typeof DefinedWork>[1]) {
    const { keeper, signal, ports } = context;
    super({ ...keeper, signal, ports, log: (level, message) => context.log(level, message) }, options);
    const { tenant, namespace, flowId, taskId: triggerId } = keeper;
    this.trigger = { tenant, namespace, flowId, triggerId };
    this.whenDurable = (confirm) => context.whenDurable(confirm);
    this.whenOver = (close) => context.whenOver(close);
    let { state } = context;
    this.state = {
      get: () => state,
      set: (next) => {
        context.setState(next);
        state = next;
      },
    };
  }
}

/** The trigger type of the definition of a realtime trigger. */
export function realtimeTypeOf(definition: RealtimeDefinition): RealtimeTriggerType {
  const { type, aliases = [], title, description, outputs, examples } = definition;
  return {
    form: "realtime",
    type,
    aliases,
    title,
    description,
    properties: dynamicProperties(definition.properties),
    outputs,
    examples,
    listen: (properties, context) => {
      const typed = typedProperties(properties, definition.properties);
      return definition.realtime(realtimeContext(typed, context));
    },
  };
}

function realtimeContext(properties: JsonObject, context: ListenContext): ListenerContext {
  const { tenant, trigger, signal, ports: { http, listening } } = context;
  return {
    properties,
    signal,
    trigger: { ...trigger, tenant },
    log: (level, message) => context.log(level, message),
    connected: () => context.connected(),
    emit: (variables, options) => context.emit({ variables, ...options }),
    listenAddress: (host) => listening.addressFor(tenant, host),
    connectAddress: (host, port) => connectAddress(host, port, { http, signal }),
    http: (request) => sendRequest(request, { http, signal, directory: noDirectory }),
  };
}

function noDirectory(): Promise<string> {
  return Promise.reject(new Error("Cannot use files: a realtime trigger has no directory"));
}
