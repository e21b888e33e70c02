/** The flow that an empty server offers. */

/** Where it is stored. */
export const SAMPLE = { namespace: "samples", id: "first_steps" };

/** Its source: an input, a loop, a script and an output. */
export const SAMPLE_SOURCE = `id: ${SAMPLE.id}
namespace: ${SAMPLE.namespace}
description: Greets some cities, lets a script count them, and gives the result as an output.

inputs:
  - id: cities
    type: ARRAY
    itemType: STRING
    displayName: Cities to greet
    defaults: ["Lisbon", "Nairobi", "Osaka"]

tasks:
  - id: each_city
    type: io.svc.plugin.core.flow.ForEach
    values: "{{ inputs.cities }}"
    concurrencyLimit: 2
    tasks:
      - id: greet
        type: io.svc.plugin.core.log.Log
        message: "Hello from {{ taskrun.value }}!"

  - id: count
    type: io.svc.plugin.scripts.shell.Script
    script: |
      echo "A script runs on $(uname -s)"
      echo '::{"outputs": {"cities": {{ inputs.cities | length }}}}::'

outputs:
  - id: greeted
    type: INT
    value: "{{ outputs.count.vars.cities }}"
`;
