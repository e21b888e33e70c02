/** What `docs/COMPATIBILITY.md` says beside what the source knows: names of existing flows, differences, what rules mean. */

/** Filters of existing flows; those that the source knows are listed as working. */
export const KNOWN_FILTERS: readonly string[] = ["className", "jq", "toIon"];

/** Functions of existing flows; those that the source knows are listed as working. */
export const KNOWN_FUNCTIONS: readonly string[] = [
  ...["appLink", "currentEachOutput", "errorLogs", "fileExists", "fileSize", "fileURI", "fromIon", "http"],
  ...["isFileEmpty", "iterationOutput", "loopOutputs", "read", "tasksWithState"],
];

/** Tags of templates, each with a template that uses it; whether it works is tried. */
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

/** Names that work otherwise than some existing flows expect, and how. */
export const DIFFERENCES: ReadonlyMap<string, string> = new Map([
  ["BOOLEAN", "as in older flows, every text but `true` is false"],
]);

/** What a flow must keep to, by the code of the problem that tells of it. Validation knows no other code. */
export const RULES: ReadonlyMap<string, string> = new Map([
  ["yaml_alias", "aliases of YAML are few and name an anchor above them"],
  ["yaml_depth", "values are not nested too deeply"],
  ["yaml_documents", "a source is one document, except where several are imported"],
  ["yaml_duplicate_key", "a key occurs once in its object"],
  ["yaml_empty", "a source is not empty"],
  ["yaml_key", "keys are texts"],
  ["yaml_not_object", "a source is an object"],
  ["yaml_size", "a source has a greatest size"],
  ["yaml_syntax", "a source is YAML 1.2"],
  ["yaml_tag", "no tags of YAML beside the standard ones"],
  ["bad_cron", "a schedule has five fields (six with seconds) or a nickname"],
  ["bad_default", "a default is of the type of its input"],
  ["bad_dependency", "`dependsOn`, `mode` and `window` of a Flow trigger agree with each other"],
  ["bad_filter", "a filter of preconditions has a value of the form that its type needs"],
  ["bad_window", "a time window has what its type needs, and nothing that only another type takes"],
  ["bad_id", "ids have the form of their kind"],
  ["bad_input", "the properties of an input agree with its type and with each other"],
  ["bad_label", "labels have a key and a value; those of the system are set by the system"],
  ["bad_retry", "the times of a retry agree with each other"],
  ["bad_zone", "time zones exist"],
  ["dependency_cycle", "nothing depends on itself: inputs and tasks of a Dag"],
  [
    "duplicate_id",
    "ids of tasks are unique over the whole flow; ids of triggers, inputs and outputs among each other",
  ],
  ["duplicate_key", "the keys of webhooks differ"],
  ["duplicate_property", "a property is given under one of its names"],
  ["not_runnable", "a WorkingDirectory holds tasks that do work, none that arrange others"],
  ["not_supported", "what is not there yet is refused, not left out"],
  ["recursion", "a Subflow does not start its own flow"],
  ["required", "what must be given is given"],
  ["too_large", "numbers keep to their upper bound"],
  ["too_long", "texts keep to their greatest length"],
  ["too_many", "lists keep to their greatest size"],
  ["too_small", "numbers keep to their lower bound"],
  ["unknown_input", "inputs that others depend on exist"],
  ["unknown_property", "properties are known; the nearest name is told"],
  ["unknown_task", "tasks that others of a Dag depend on exist"],
  ["unknown_type", "types are known; the nearest one is told"],
  ["unsupported_type", "a type that is not there yet is refused"],
  ["wrong_form", "texts have the form that is asked for"],
  ["wrong_type", "values are of the type of their property; scalars may be written as texts"],
  ["wrong_value", "values are among the allowed ones"],
  ["deprecated", "a property that is out of date still works"],
  ["deprecated_type", "a type that is out of date still works"],
  ["expression", "an expression that cannot be parsed is an error only when its task runs"],
  ["ignored", "a property without effect"],
  ["optional_default", "`required: false` means nothing beside a default"],
  ["reacts_to_all", "a Flow trigger says to which executions it reacts"],
  ["replaced_type", "an older name of a type"],
  ["unused_prefill", "a prefill means nothing beside a default"],
  ["weak_key", "a webhook's key has at least 16 characters, or is an expression"],
  ["unknown_function", "expressions call functions that exist"],
  ["unknown_reference", "expressions refer to inputs, variables and tasks that exist"],
]);
