/** Flows: source text → problems or a flow, and given values → inputs. The one face of this folder. */
export { flowAnswer } from "./answer.ts";
export { buildFlow, buildInputs, buildTask, type FlowIdentity } from "./build.ts";
export {
  checkInputs,
  convertValue,
  type InputCheck,
  type RenderInput,
  resolveInputs,
  type ResolveOptions,
} from "./inputs.ts";
export { findInputType, listInputTypes } from "./inputs/registry.ts";
export type { InputType } from "./inputs/input_type.ts";
export { kindName, taskKind, triggerKind, WEBHOOK_KIND } from "./kinds.ts";
export { type ParsedSource, parseFlowSource, type Path } from "./parse.ts";
export { problemsError, problemsText } from "./problems.ts";
export { type FlowProblem, hasExpression, type TemplateCheck } from "./report.ts";
export { isSameSource, type SavedSource, setDisabled } from "./source_edit.ts";
export { splitDocuments } from "./split_documents.ts";
export { hasErrors, validateFlow } from "./validate.ts";
