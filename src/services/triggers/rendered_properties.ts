/** The properties that the type of a trigger is given. */
import { type JsonObject, ownProperty, setOwnProperty } from "../../base/json.ts";
import type { Flow, Trigger } from "../../model/flows/flow.ts";
import { withJsonTexts } from "../../model/flows/schema.ts";
import type { TypeDeclaration } from "../../model/flows/type_declaration.ts";
import type { SecretMask } from "../../rendering/secret_mask.ts";
import type { TriggerRenderer } from "../../rendering/trigger_renderer.ts";

/** A trigger as its flow declares it. */
interface DeclaredTrigger {
  readonly flow: Flow;
  readonly trigger: Trigger;
  readonly type: Pick<TypeDeclaration, "properties">;
}

/** The declared properties with their defaults; dynamic ones are rendered. Those that a poll itself renders for each response are not dynamic. @throws Error rendering failed */
export async function renderedProperties(
  renderer: TriggerRenderer,
  { flow, trigger, type }: DeclaredTrigger,
  mask: SecretMask,
): Promise<JsonObject> {
  const properties: JsonObject = {};
  for (const [name, schema] of Object.entries(type.properties)) {
    const value = ownProperty(trigger.properties, name) ?? schema.default ?? null;
    if (value === null) continue;
    const rendered = schema.dynamic ? await renderer.value(flow, value, {}, mask) : value;
    setOwnProperty(properties, name, withJsonTexts(rendered, schema));
  }
  return properties;
}
