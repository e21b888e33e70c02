/** What `docs/COMPATIBILITY.md` lists and the source does not declare: names in existing flows, differences, meanings of rules. */

/** Filters of existing flows; those that the source declares are listed as working. */
export const KNOWN_FILTERS: readonly string[] = ["className", "jq", "toIon"];

/** Functions of existing flows; those that the source declares are listed as working. */
export const KNOWN_FUNCTIONS: readonly string[] = [
  ...["appLink", "currentEachOutput", "errorLogs", "fileExists", "fileSize", "fileURI", "fromIon", "http"],
  ...["isFileEmpty", "iterationOutput", "loopOutputs", "read", "tasksWithState"],
];

/** Tags of templates, each with a template that uses it; a tag works if that compiles. */
export const TAGS: ReadonlyMap<string, string> = new Map([
  ["if", "{% if true %}{% elseif false %}{% else %}{% endif %}"],
  ["for", "{% for x in [1] %}{% else %}{% endfor %}"],
  ["set", "{% set x = 1 %}"],
  ["macro", "{% macro m(a, b='c') %}{% endmacro %}"],
  ["filter", "{% filter upper %}{% endfilter %}"],
  ["block", '{% block "b" %}{% endblock %}'],
  ["verbatim", "{% verbatim %}{{ {% endverbatim %}"],
  ["raw", "{% raw %}{{ {% endraw %}"],
]);

/** Tags of the template language that flows cannot use on any server of this kind. */
export const FOREIGN_TAGS: readonly string[] = [
  ...["include", "import", "extends", "embed", "from", "parallel", "cache", "autoescape", "flush"],
];

/** Names that behave differently from what some existing flows expect, and how. */
export const DIFFERENCES: ReadonlyMap<string, string> = new Map([
  ["FORM", "for inputs only; its `dependsOn` and `required` have no effect, its inputs have their own"],
  ["BOOLEAN", "as in older flows, every text but `true` is false"],
  ["core.flow.PurgeFlows", "revisions have no date, so `before` is refused"],
  ["core.storage.PurgeStorage", "the dates are those of the executions, not of their files"],
]);

/** The rules of validation by the code of the problem that a violation causes. Validation has no other code. */
export const RULES: ReadonlyMap<string, string> = new Map([
  ["yaml_alias", "a YAML alias names an anchor above it, and their number is limited"],
  ["yaml_depth", "the nesting depth of values is limited"],
  ["yaml_documents", "a source is one document, except when several are imported"],
  ["yaml_duplicate_key", "a key occurs once in its object"],
  ["yaml_empty", "a source is not empty"],
  ["yaml_key", "keys are texts"],
  ["yaml_not_object", "a source is an object"],
  ["yaml_size", "the size of a source is limited"],
  ["yaml_syntax", "a source is valid YAML 1.2"],
  ["yaml_tag", "only the standard YAML tags are allowed"],
  ["bad_cron", "a schedule has five fields (six with seconds) or a nickname"],
  ["bad_default", "a default has the type of its input"],
  ["bad_dependency", "`dependsOn`, `mode` and `window` of a Flow trigger are consistent"],
  ["bad_filter", "a filter of preconditions has a value of the form that its type needs"],
  [
    "bad_window",
    "a time window has the properties of its type, and none of another type; only a `DURATION_WINDOW` has an advance",
  ],
  ["bad_id", "ids have the form of their kind"],
  ["bad_input", "the properties of an input match its type and each other"],
  ["bad_label", "labels have a key and a value; only the server sets system labels"],
  ["bad_place", "options of a container are valid, and the server allows them"],
  [
    "other_place",
    "an image is used where containers can run; elsewhere the commands run as processes, with a warning",
  ],
  ["bad_retry", "the durations of a retry are consistent"],
  ["bad_zone", "time zones exist"],
  ["dependency_cycle", "inputs and tasks of a Dag do not depend on themselves"],
  [
    "duplicate_id",
    "ids of tasks are unique in the flow; ids of triggers, preconditions, inputs and outputs are unique among each other",
  ],
  ["duplicate_key", "the keys of webhooks differ"],
  ["duplicate_property", "a property is given under one of its names"],
  ["not_runnable", "a WorkingDirectory contains runnable tasks only"],
  ["not_supported", "a feature that is not supported yet is refused, not ignored"],
  ["recursion", "a Subflow does not start its own flow"],
  ["required", "required properties are present"],
  ["too_large", "numbers do not exceed their maximum"],
  ["too_long", "texts do not exceed their maximum length"],
  ["too_many", "lists do not exceed their maximum size"],
  [
    "too_small",
    "numbers and durations are not below their minimum; that of the duration of an SLA and of `lateMaximumDelay` is above zero",
  ],
  ["unknown_input", "inputs that others depend on exist"],
  [
    "unknown_property",
    "properties are known, also those of plugin defaults of a complete type; the problem gives the nearest name",
  ],
  ["unknown_task", "tasks that others of a Dag depend on exist"],
  ["unknown_type", "types are known; the problem gives the nearest one"],
  ["unsupported_type", "a type that is not supported yet is refused"],
  ["wrong_form", "texts have the required form"],
  ["wrong_type", "values have the type of their property; scalars may be written as texts"],
  ["wrong_value", "values are among the allowed ones"],
  ["deprecated", "a property is deprecated, and still works"],
  ["deprecated_type", "a type is deprecated, and still works"],
  ["expression", "an expression is invalid; it fails when its task runs"],
  ["ignored", "a property has no effect"],
  ["missing_flow", "a task starts a flow that does not exist; only a check of flows reports it"],
  ["disabled_flow", "a task starts a flow that is disabled; only a check of flows reports it"],
  ["optional_default", "`required: false` has no effect on an input with a default"],
  ["reacts_to_all", "a Flow trigger does not restrict the executions that it reacts to"],
  ["replaced_type", "a type has an older name"],
  ["unused_prefill", "a prefill has no effect on an input with a default"],
  ["weak_key", "a webhook key has fewer than 16 characters and is no expression"],
  ["unknown_function", "an expression calls an unknown function"],
  ["unknown_reference", "an expression refers to an unknown input, variable or task"],
]);
