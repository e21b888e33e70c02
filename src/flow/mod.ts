/** Flows: source text → problems or a flow, and given values → inputs. The one face of this folder. */
export { flowAnswer } from "./answer.ts";
export { buildFlow, buildInputs, type FlowIdentity } from "./build.ts";
export { buildTask } from "./build_tasks.ts";
export {
  CHECK_BEHAVIORS,
  CHECK_STYLES,
  type CheckBehavior,
  decisiveChecks,
  type FailedCheck,
  failedChecks,
  type RenderCheck,
} from "./checks.ts";
export { type Deprecations, deprecationsOf, isDeprecation } from "./deprecations.ts";
export { type DrawnFlow, flowGraph, graphAnswer, ROOT_UID } from "./graph.ts";
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
export { taskKind, triggerKind, WEBHOOK_KIND } from "./kinds.ts";
export { deprecatedTaskIds, findWrittenTask, type WrittenTask, writtenTasks } from "./nested_tasks.ts";
export { convertOutputs, type OutputsOutcome } from "./outputs.ts";
export { applyPluginDefaults, type TypeCatalogs } from "./plugin_defaults.ts";
export { expressionNames } from "./expression_names.ts";
export { type ParsedSource, parseFlowSource, type Path } from "./parse.ts";
export { problemsError, problemsText } from "./problems.ts";
export { type FlowProblem, hasExpression } from "./report.ts";
export { SUBFLOW_KINDS } from "./graph/relations.ts";
export { isSameSource, type SavedSource, setDisabled } from "./source_edit.ts";
export { splitDocuments } from "./split_documents.ts";
export {
  type Catalogs,
  hasErrors,
  validateFlow,
  type ValidateOptions,
  validateTask,
  validateTrigger,
} from "./validate.ts";
