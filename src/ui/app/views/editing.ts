/** Everything that needs an editor of sources. One script: the editor is most of it, and many small scripts pack worse. */
export { default as DashboardEditor } from "./dashboards/dashboard_editor.tsx";
export { CodeEditor } from "./editor/code_editor.tsx";
export { FlowEditor } from "./editor/flow_editor.tsx";
export { NewFlow } from "./flows/new_flow.tsx";
export { FileConflict } from "./namespaces/file/file_conflict.tsx";
