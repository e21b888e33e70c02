/** All condition types. A new one is a file of its own and a line here. */
import type { ConditionType } from "../../model/triggers/trigger_catalog.ts";
import { dateTimeBetweenCondition } from "./date_time_between.ts";
import { dayWeekCondition } from "./day_week.ts";
import { dayWeekInMonthCondition } from "./day_week_in_month.ts";
import { executionFlowCondition } from "./execution_flow.ts";
import { executionLabelsCondition } from "./execution_labels.ts";
import { executionNamespaceCondition } from "./execution_namespace.ts";
import { executionOutputsCondition } from "./execution_outputs.ts";
import { executionStatusCondition } from "./execution_status.ts";
import { expressionCondition } from "./expression.ts";
import { flowCondition } from "./flow.ts";
import { flowNamespaceCondition } from "./flow_namespace.ts";
import { hasRetryAttemptCondition } from "./has_retry_attempt.ts";
import { multipleCondition } from "./multiple.ts";
import { notCondition } from "./not.ts";
import { orCondition } from "./or.ts";
import { publicHolidayCondition } from "./public_holiday.ts";
import { timeBetweenCondition } from "./time_between.ts";
import { weekendCondition } from "./weekend.ts";

/** Types below `core.condition.`. */
export const CONDITION_TYPES: readonly ConditionType[] = Object.freeze([
  dateTimeBetweenCondition,
  dayWeekCondition,
  dayWeekInMonthCondition,
  executionFlowCondition,
  executionLabelsCondition,
  executionNamespaceCondition,
  executionOutputsCondition,
  executionStatusCondition,
  expressionCondition,
  flowCondition,
  flowNamespaceCondition,
  hasRetryAttemptCondition,
  multipleCondition,
  notCondition,
  orCondition,
  publicHolidayCondition,
  timeBetweenCondition,
  weekendCondition,
]);
