/** Everything that is fuzzed. */
import type { Target } from "./target.ts";
import { cronTarget } from "./targets/cron.ts";
import { datesTarget } from "./targets/dates.ts";
import { heavyTarget } from "./targets/heavy.ts";
import { inputsTarget } from "./targets/inputs.ts";
import { ionTarget } from "./targets/ion.ts";
import { jqTarget } from "./targets/jq.ts";
import { multipartTarget } from "./targets/multipart.ts";
import { regexTarget } from "./targets/regex.ts";
import { templateTarget } from "./targets/template.ts";
import { yamlTarget } from "./targets/yaml.ts";
import { yamlTextTarget } from "./targets/yaml_text.ts";

/** All targets, in the order in which they take turns. */
export const TARGETS: readonly Target[] = [
  templateTarget,
  jqTarget,
  ionTarget,
  regexTarget,
  datesTarget,
  cronTarget,
  heavyTarget,
  inputsTarget,
  yamlTarget,
  yamlTextTarget,
  multipartTarget,
];
