/** Flows: source text → problems or a flow, and given values → inputs. The public interface of this folder. */
export { flowResponse } from "./build/flow_response.ts";
export { buildFlow, buildInputs } from "./build/build.ts";
export { decisiveChecks, type FailedCheck, failedChecks } from "./build/start_conditions.ts";
export { DrawnRuns } from "./graph/drawn_runs.ts";
export { type DrawnFlow, flowGraph, graphResponse, ROOT_UID } from "./graph/graph.ts";
export { blocksOf, SUBFLOW_KINDS } from "./graph/parts.ts";
export {
  checkedInputs,
  checkInputs,
  convertValue,
  type InputCheck,
  resolveInputs,
  type ResolveOptions,
} from "./inputs/inputs.ts";
export { findDeclaredType, listInputTypes } from "./inputs/registry.ts";
export { deprecatedTaskIds, findWrittenTask, writtenTasks } from "./schema/nested_tasks.ts";
export { convertOutputs } from "./build/outputs.ts";
export { applyPluginDefaults, defaultKind } from "./schema/plugin_defaults.ts";
export { checkInheritedDefaults, concernsTriggers } from "./validate/plugin_default_rules.ts";
export { expressionNames } from "./validate/expression_names.ts";
export { scalarText } from "./schema/describe.ts";
export { type ParsedSource, parseFlowSource, parseYamlValue, type Path } from "./source/parse.ts";
export { deprecationsOf, isDeprecation, problemsError, problemsText } from "./source/problems.ts";
export { type FlowProblem, hasExpression, Report } from "./source/report.ts";
export {
  type NamespaceReference,
  namespaceReferences,
  renameNamespaces,
} from "./source/namespace_references.ts";
export { documentsIn, splitDocuments } from "./source/documents.ts";
export {
  isSameSource,
  jsonAsYaml,
  type SavedSource,
  setDisabled,
  setId,
  setNamespace,
  withoutSource,
} from "./source/source_edit.ts";
export { withoutTriggerKeys, withoutWebhookKeys } from "./source/webhook_keys.ts";
export type { StartObstacle } from "./validate/task_rules.ts";
export { replaceTask } from "./schema/task_edit.ts";
export {
  type Catalogs,
  validateFlow,
  type ValidateOptions,
  validateTask,
  validateTrigger,
} from "./validate/validate.ts";
