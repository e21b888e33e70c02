import { assertEquals } from "@std/assert";
import { describedProblemsOf, type Rows } from "../flow_support.ts";

/** A flow around one expression, whose text is at 10:47: two inputs, a variable, three tasks. */
const sourceOf = (text: string) =>
  `id: f
namespace: n
inputs:
- {id: name, type: STRING}
- {id: nested.value, type: STRING}
variables: {colour: red}
tasks:
- {id: first, type: core.debug.Return}
- {id: my-task, type: core.debug.Return}
- {id: last, type: core.debug.Return, format: "${text}"}
`;

/** An expression, and the warnings about it. */
const EXPRESSIONS: readonly (readonly [string, readonly string[]])[] = [
  ["Hello", []],
  ["{{ inputs.name }}", []],
  ["{{ inputs['name'] }}", []],
  ["{{ inputs.nme }}", ['Unable to find `inputs.nme`: the flow has no input "nme", did you mean "name"']],
  ["{{ inputs['nme'] }}", [
    'Unable to find `inputs[\'nme\']`: the flow has no input "nme", did you mean "name"',
  ]],
  ["{{ inputs.name.length }}", []],
  ["{{ inputs.nested }}", []],
  ["{{ inputs.nested.value }}", []],
  ["{{ inputs.nested.other }}", [
    'Unable to find `inputs.nested.other`: the flow has no input "nested.other"',
  ]],
  ["{{ inputs }}", []],
  ["{{ inputs[vars.colour] }}", []],
  ["{{ inputs[vars.color] }}", [
    'Unable to find `vars.color`: the flow has no variable "color", did you mean "colour"',
  ]],
  ["{{ inputs.nothing }}", ['Unable to find `inputs.nothing`: the flow has no input "nothing"']],
  ["{{ inputs.__proto__ }}", ['Unable to find `inputs.__proto__`: the flow has no input "__proto__"']],
  ["{{ outputs.first.value }}", []],
  ["{{ outputs.frist.value }}", [
    'Unable to find `outputs.frist.value`: the flow has no task "frist", did you mean "first"',
  ]],
  ["{{ outputs['my-task'].value }}", []],
  ["{{ outputs.my-task.value }}", [
    "Unable to find `outputs.my`: the flow has no task \"my\", did you mean `outputs['my-task']`",
  ]],
  ["{{ outputs.last.value }}", []],
  ["{{ outputs.nowhere.value ~ outputs.nowhere.other }}", [
    'Unable to find `outputs.nowhere.value`: the flow has no task "nowhere"',
    'Unable to find `outputs.nowhere.other`: the flow has no task "nowhere"',
  ]],
  ["{{ outputs[task.id] }}", []],
  ["{{ outputs.first_items }}", []],
  ["{{ outputs.second_items }}", [
    'Unable to find `outputs.second_items`: the flow has no task "second_items"',
  ]],
  ["{{ outputs.keySet() }}", []],
  ["{{ vars.colour }}", []],
  ["{{ vars.color }}", [
    'Unable to find `vars.color`: the flow has no variable "color", did you mean "colour"',
  ]],
  ["{{ vars['colour'].x }}", []],
  ["{{ render(vars.clour) }}", [
    'Unable to find `vars.clour`: the flow has no variable "clour", did you mean "colour"',
  ]],
  ["{{ inputs.x ?? 1 }}", []],
  ["{{ 1 ?? inputs.x }}", ['Unable to find `inputs.x`: the flow has no input "x"']],
  ["{{ outputs.x.y.z ??? 1 }}", []],
  ["{{ inputs.x | default('a') }}", []],
  ["{{ inputs.x | upper | default('a') }}", []],
  ["{{ inputs.x | upper }}", ['Unable to find `inputs.x`: the flow has no input "x"']],
  ["{{ inputs.x is defined }}", []],
  ["{{ inputs.x is not defined ? 1 : inputs.x.y }}", []],
  ["{{ inputs.x is null }}", ['Unable to find `inputs.x`: the flow has no input "x"']],
  ["{% if inputs.x is defined %}{{ inputs.x }}{% endif %}", []],
  ["{{ inputs.x is defined and inputs.y }}", ['Unable to find `inputs.y`: the flow has no input "y"']],
  ["{% set inputs = {'x': 1} %}{{ inputs.x }}", []],
  ["{% for vars in [1] %}{{ vars.x }}{% endfor %}", []],
  ["{% for i in inputs.list %}{{ i.x }}{% endfor %}", [
    'Unable to find `inputs.list`: the flow has no input "list"',
  ]],
  ["{% macro m(inputs) %}{{ inputs.x }}{% endmacro %}{{ m(1) }}", []],
  ["{% if inputs.a %}{{ outputs.b }}{% else %}{{ vars.c }}{% endif %}", [
    'Unable to find `inputs.a`: the flow has no input "a"',
    'Unable to find `outputs.b`: the flow has no task "b"',
    'Unable to find `vars.c`: the flow has no variable "c"',
  ]],
  ["{{ [inputs.a, {'k': vars.b}] }}", [
    'Unable to find `inputs.a`: the flow has no input "a"',
    'Unable to find `vars.b`: the flow has no variable "b"',
  ]],
  ["{{ not inputs.a }}", ['Unable to find `inputs.a`: the flow has no input "a"']],
  ["{{ inputs.name ? outputs.a : vars.b }}", [
    'Unable to find `outputs.a`: the flow has no task "a"',
    'Unable to find `vars.b`: the flow has no variable "b"',
  ]],
  ["{{ kv(inputs.a) }}", ['Unable to find `inputs.a`: the flow has no input "a"']],
  ["{{ inputs.name | replace({'a': inputs.b}) }}", ['Unable to find `inputs.b`: the flow has no input "b"']],
  ["{% filter upper %}{{ inputs.a }}{% endfilter %}", [
    'Unable to find `inputs.a`: the flow has no input "a"',
  ]],
  ["{{ trigger.x }}", []],
  ["{{ taskrun.value }}", []],
  ["{{ undefined_thing }}", []],
  ["{{ execution.outputs.x }}", []],
  ["{{ 1 + }}", ['Expected an expression, found "}}" in the expression `{{ 1 + }}` at line 1']],
  ["{{ x | uper }}", ["Filter [uper] does not exist in the expression `{{ x | uper }}` at line 1"]],
  ["{{ x is odd2 }}", [
    "Test [odd2] does not exist: tests are defined, null, empty, even, odd, iterable, map, json in the expression `{{ x is odd2 }}` at line 1",
  ]],
  ["{{ nwo() }}", ['Function or Macro [nwo] does not exist, did you mean "now"']],
  ["{{ now() }}", []],
  ["{{ secret('A') }}", []],
  ["{{ secert('A') }}", ['Function or Macro [secert] does not exist, did you mean "secret"']],
  ["{{ 'a' | date(unknown='x') }}", [
    "Unknown argument \"unknown\" of filter \"date\" in the expression `{{ 'a' | date(unknown='x') }}` at line 1",
  ]],
  ["{{ unclosed", ['Cannot find the closing "}}" in the expression `{{ unclosed` at line 1']],
  ["{% if x %}", ['Expected the tag "endif", found the end in the expression `{% if x %}` at line 1']],
  ["{# inputs.x #}", []],
  ["{% raw %}{{ inputs.x }}{% endraw %}", []],
];

/** What an expression may refer to; whole sources. */
const SCOPES: Rows = [
  [
    "variables that tasks set",
    'id: f\nnamespace: n\ninputs:\n- {id: name, type: STRING}\n- {id: nested.value, type: STRING}\nvariables: {colour: red}\ntasks:\n- {id: first, type: core.execution.SetVariables}\n- {id: my-task, type: core.debug.Return}\n- {id: last, type: core.debug.Return, format: "{{ vars.x }}"}\n',
    [],
  ],
  [
    "no inputs and no variables",
    'id: f\nnamespace: n\ntasks:\n- {id: a, type: core.debug.Return, format: "{{ inputs.a }}{{ vars.a }}"}\n',
    [
      'warning tasks[0].format: Unable to find `inputs.a`: the flow has no input "a" @4:44+28',
      'warning tasks[0].format: Unable to find `vars.a`: the flow has no variable "a" @4:44+28',
    ],
  ],
  [
    "outputs of a nested task",
    'id: f\nnamespace: n\ntasks:\n- {id: p, type: core.flow.Parallel, tasks: [{id: inner, type: core.debug.Return}]}\n- {id: a, type: core.debug.Return, format: "{{ outputs.inner.value }}"}\n',
    [],
  ],
  [
    "outputs of a later task",
    'id: f\nnamespace: n\ntasks:\n- {id: a, type: core.debug.Return, format: "{{ outputs.b.value }}"}\nerrors:\n- {id: b, type: core.debug.Return}\n',
    [],
  ],
  [
    "outputs of another execution",
    'id: f\nnamespace: n\ntasks:\n- {id: a, type: core.flow.Subflow, namespace: o, flowId: g, outputs: {x: "{{ outputs.theirs }}"}, inputs: {y: "{{ outputs.ours }}"}}\n',
    ['warning tasks[0].inputs.y: Unable to find `outputs.ours`: the flow has no task "ours" @4:111+20'],
  ],
  [
    "a reference in an output of the flow",
    'id: f\nnamespace: n\ntasks:\n- {id: a, type: core.debug.Return}\noutputs:\n- {id: o, value: "{{ outputs.b.value }}"}\n',
    ['warning outputs[0].value: Unable to find `outputs.b.value`: the flow has no task "b" @6:18+23'],
  ],
  [
    "a reference in a default",
    'id: f\nnamespace: n\ninputs:\n- {id: a, type: STRING, defaults: "{{ inputs.b }}"}\ntasks:\n- {id: a, type: core.debug.Return}\n',
    ['warning inputs[0].defaults: Unable to find `inputs.b`: the flow has no input "b" @4:35+16'],
  ],
  [
    "a reference deep in a list",
    'id: f\nnamespace: n\ntasks:\n- {id: a, type: core.log.Log, message: [x, "{{ inputs.b }}"]}\n',
    ['warning tasks[0].message[1]: Unable to find `inputs.b`: the flow has no input "b" @4:44+16'],
  ],
  [
    "the same reference twice in one text",
    'id: f\nnamespace: n\ntasks:\n- {id: a, type: core.debug.Return, format: "{{ inputs.b }} {{ inputs.b }}"}\n',
    ['warning tasks[0].format: Unable to find `inputs.b`: the flow has no input "b" @4:44+31'],
  ],
  [
    "the same text in two places",
    'id: f\nnamespace: n\ntasks:\n- {id: a, type: core.debug.Return, format: "{{ inputs.b }}"}\n- {id: b, type: core.debug.Return, format: "{{ inputs.b }}"}\n',
    [
      'warning tasks[0].format: Unable to find `inputs.b`: the flow has no input "b" @4:44+16',
      'warning tasks[1].format: Unable to find `inputs.b`: the flow has no input "b" @5:44+16',
    ],
  ],
  [
    "a list instead of variables",
    'id: f\nnamespace: n\nvariables: []\ntasks:\n- {id: a, type: core.debug.Return, format: "{{ vars.b }}"}\n',
    ["variables: must be an object, but received a list @3:12+2"],
  ],
  [
    "a text over several lines",
    "id: f\nnamespace: n\ntasks:\n- id: a\n  type: core.debug.Return\n  format: |\n    one\n    {{ inputs.b }}\n",
    ['warning tasks[0].format: Unable to find `inputs.b`: the flow has no input "b" @6:11+1'],
  ],
];

for (const [text, messages] of EXPRESSIONS) {
  Deno.test(`validateFlow() warns of what is wrong in ${text}`, () => {
    const place = `@10:47+${text.length + 2}`;
    const expected = messages.map((message) => `warning tasks[2].format: ${message} ${place}`);
    assertEquals(describedProblemsOf(sourceOf(text)), expected);
  });
}

for (const [name, source, expected] of SCOPES) {
  Deno.test(`validateFlow() checks expressions with ${name}`, () => {
    assertEquals(describedProblemsOf(source), [...expected]);
  });
}
