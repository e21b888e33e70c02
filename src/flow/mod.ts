/** Flows: source text → problems or a flow, and given values → inputs. The one face of this folder. */
export { flowAnswer } from "./answer.ts";
export { buildFlow, buildInputs } from "./build.ts";
export { decisiveChecks, type FailedCheck, failedChecks } from "./checks.ts";
export { deprecationsOf, isDeprecation } from "./deprecations.ts";
export { type DrawnFlow, flowGraph, graphAnswer, ROOT_UID } from "./graph.ts";
export { checkInputs, convertValue, type InputCheck, resolveInputs, type ResolveOptions } from "./inputs.ts";
export { findInputType, listInputTypes } from "./inputs/registry.ts";
export { taskKind, triggerKind } from "./kinds.ts";
export { deprecatedTaskIds, findWrittenTask, writtenTasks } from "./nested_tasks.ts";
export { convertOutputs } from "./outputs.ts";
export { applyPluginDefaults } from "./plugin_defaults.ts";
export { expressionNames } from "./expression_names.ts";
export { type ParsedSource, parseFlowSource } from "./parse.ts";
export { problemsError, problemsText } from "./problems.ts";
export { type FlowProblem } from "./report.ts";
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
