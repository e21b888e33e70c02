/** Entities of responses as the OpenAPI description has them. Written by `deno task ui:types`. */

/** By their names in the description: those that the UI names, and what they consist of. */
export interface Schemas {
  readonly AssertionResult: {
    readonly operator:
      | "isNull"
      | "isNotNull"
      | "equalTo"
      | "notEqualTo"
      | "contains"
      | "startsWith"
      | "endsWith"
      | "greaterThan"
      | "greaterThanOrEqualTo"
      | "lessThan"
      | "lessThanOrEqualTo"
      | "in"
      | "notIn";
    readonly expected: unknown;
    readonly actual: unknown;
    readonly isSuccess: boolean;
    readonly taskId?: string;
    readonly description?: string;
    readonly errorMessage?: string;
  };
  readonly Backfill: {
    readonly start: string;
    readonly end: string;
    readonly currentDate: string;
    readonly paused: boolean;
    readonly previousNextExecutionDate?: string;
    readonly inputs?: { readonly [name: string]: unknown };
    readonly labels?: readonly Schemas["Label"][];
  };
  readonly BlueprintItem: {
    readonly id: string;
    readonly title: string;
    readonly description: string;
    readonly includedTasks: readonly string[];
    readonly tags: readonly string[];
    readonly publishedAt: string;
  };
  readonly Execution: {
    readonly id: string;
    readonly tenantId: string;
    readonly namespace: string;
    readonly flowId: string;
    readonly flowRevision: number;
    readonly taskRunList?: readonly Schemas["TaskRun"][];
    readonly inputs?: { readonly [name: string]: unknown };
    readonly outputs?: { readonly [name: string]: unknown };
    readonly variables?: { readonly [name: string]: unknown };
    readonly labels?: readonly Schemas["Label"][];
    readonly state: Schemas["State"];
    readonly parentId?: string;
    readonly originalId: string;
    readonly trigger?: Schemas["ExecutionTrigger"];
    readonly deleted: boolean;
    readonly metadata: Schemas["ExecutionMetadata"];
    readonly scheduleDate?: string;
    readonly kind?: "NORMAL" | "TEST" | "PLAYGROUND" | "LOOP";
    readonly breakpoints?: readonly { readonly id: string; readonly value?: string }[];
    readonly waiting?: Schemas["ExecutionWaiting"];
    readonly loopRun?: { readonly [name: string]: unknown };
    readonly url?: string;
    readonly "$shortened"?: { readonly taskRuns: number; readonly uri: string };
  };
  readonly ExecutionMetadata: { readonly attemptNumber: number; readonly originalCreatedDate: string };
  readonly ExecutionTrigger: {
    readonly id: string;
    readonly type: string;
    readonly variables: { readonly [name: string]: unknown };
  };
  readonly ExecutionWaiting: {
    readonly reason:
      | "SCHEDULED"
      | "TIMER"
      | "QUEUED"
      | "HELD"
      | "PAUSED"
      | "BREAKPOINT"
      | "RETRY"
      | "SUBFLOW"
      | "WORKER";
    readonly since: string;
    readonly until?: string;
    readonly taskId?: string;
    readonly taskIds?: readonly string[];
    readonly taskRunId?: string;
    readonly executionId?: string;
    readonly ahead?: number;
    readonly running?: number;
    readonly limit?: number;
    readonly total?: number;
    readonly started?: number;
    readonly ended?: number;
    readonly group?: string;
    readonly isConnected?: boolean;
  };
  readonly Flow: {
    readonly id: string;
    readonly namespace: string;
    readonly revision: number;
    readonly description?: string;
    readonly disabled: boolean;
    readonly deleted: boolean;
    readonly draft: boolean;
    readonly labels?: readonly Schemas["Label"][];
    readonly inputs?: readonly Schemas["FlowInput"][];
    readonly outputs?: readonly Schemas["FlowOutput"][];
    readonly variables?: { readonly [name: string]: unknown };
    readonly tasks: readonly Schemas["Task"][];
    readonly errors?: readonly Schemas["Task"][];
    readonly finally?: readonly Schemas["Task"][];
    readonly afterExecution?: readonly Schemas["Task"][];
    readonly triggers?: readonly Schemas["Trigger"][];
    readonly concurrency?: { readonly [name: string]: unknown };
  };
  readonly FlowInput: {
    readonly id?: string;
    readonly type?: string;
    readonly description?: string;
    readonly defaults?: unknown;
  };
  readonly FlowKey: { readonly namespace: string; readonly id: string };
  readonly FlowOutput: { readonly id?: string; readonly type?: string; readonly value?: unknown };
  readonly FlowWithSource: {
    readonly id: string;
    readonly namespace: string;
    readonly revision: number;
    readonly description?: string;
    readonly disabled: boolean;
    readonly deleted: boolean;
    readonly draft: boolean;
    readonly labels?: readonly Schemas["Label"][];
    readonly inputs?: readonly Schemas["FlowInput"][];
    readonly outputs?: readonly Schemas["FlowOutput"][];
    readonly variables?: { readonly [name: string]: unknown };
    readonly tasks: readonly Schemas["Task"][];
    readonly errors?: readonly Schemas["Task"][];
    readonly finally?: readonly Schemas["Task"][];
    readonly afterExecution?: readonly Schemas["Task"][];
    readonly triggers?: readonly Schemas["Trigger"][];
    readonly concurrency?: { readonly [name: string]: unknown };
    readonly source: string;
    readonly warnings?: readonly string[];
  };
  readonly Label: { readonly key: string; readonly value: string };
  readonly LatestExecution: {
    readonly id: string;
    readonly flowId: string;
    readonly namespace: string;
    readonly startDate: string;
    readonly status:
      | "CREATED"
      | "RUNNING"
      | "SUCCESS"
      | "WARNING"
      | "FAILED"
      | "KILLED"
      | "CANCELLED"
      | "QUEUED"
      | "PAUSED"
      | "RESTARTED"
      | "KILLING"
      | "RETRYING"
      | "RETRIED"
      | "SKIPPED"
      | "BREAKPOINT"
      | "RESUBMITTED"
      | "SUBMITTED";
  };
  readonly ListedDeclaration: { readonly id: string; readonly type?: string };
  readonly ListedTrigger: {
    readonly trigger: Schemas["ListedDeclaration"];
    readonly state: Schemas["TriggerState"];
    readonly abstractTrigger: Schemas["ListedDeclaration"];
    readonly triggerContext: Schemas["TriggerState"];
  };
  readonly LogEntry: {
    readonly namespace: string;
    readonly flowId: string;
    readonly executionId?: string;
    readonly taskId?: string;
    readonly taskRunId?: string;
    readonly triggerId?: string;
    readonly attemptNumber?: number;
    readonly lineNumber?: number;
    readonly timestamp: string;
    readonly level: "TRACE" | "DEBUG" | "INFO" | "WARN" | "ERROR";
    readonly thread?: string;
    readonly message: string;
  };
  readonly State: {
    readonly current:
      | "CREATED"
      | "RUNNING"
      | "SUCCESS"
      | "WARNING"
      | "FAILED"
      | "KILLED"
      | "CANCELLED"
      | "QUEUED"
      | "PAUSED"
      | "RESTARTED"
      | "KILLING"
      | "RETRYING"
      | "RETRIED"
      | "SKIPPED"
      | "BREAKPOINT"
      | "RESUBMITTED"
      | "SUBMITTED";
    readonly histories: readonly Schemas["StateChange"][];
    readonly duration: number;
    readonly startDate: string;
    readonly endDate?: string;
  };
  readonly StateChange: {
    readonly state:
      | "CREATED"
      | "RUNNING"
      | "SUCCESS"
      | "WARNING"
      | "FAILED"
      | "KILLED"
      | "CANCELLED"
      | "QUEUED"
      | "PAUSED"
      | "RESTARTED"
      | "KILLING"
      | "RETRYING"
      | "RETRIED"
      | "SKIPPED"
      | "BREAKPOINT"
      | "RESUBMITTED"
      | "SUBMITTED";
    readonly date: string;
  };
  readonly Task: { readonly id: string; readonly type: string };
  readonly TaskRun: {
    readonly id: string;
    readonly tenantId: string;
    readonly executionId: string;
    readonly namespace: string;
    readonly flowId: string;
    readonly taskId: string;
    readonly parentTaskRunId?: string;
    readonly value?: string;
    readonly iteration?: number;
    readonly attempts?: readonly Schemas["TaskRunAttempt"][];
    readonly outputs: { readonly [name: string]: unknown };
    readonly state: Schemas["State"];
  };
  readonly TaskRunAttempt: { readonly state: Schemas["State"]; readonly logFile?: string };
  readonly Trigger: { readonly id: string; readonly type: string };
  readonly TriggerEvaluation: {
    readonly evaluatedAt: string;
    readonly outcome: "STARTED" | "FAILED" | "SKIPPED";
    readonly date?: string;
    readonly reason?: string;
    readonly executionId?: string;
  };
  readonly TriggerState: {
    readonly namespace: string;
    readonly flowId: string;
    readonly triggerId: string;
    readonly kind?: string;
    readonly date?: string;
    readonly lastTriggeredDate?: string;
    readonly nextExecutionDate?: string;
    readonly nextEvaluationDate?: string;
    readonly updatedDate?: string;
    readonly updatedAt?: string;
    readonly evaluateRunningDate?: string;
    readonly evaluatedAt?: string;
    readonly disabled: boolean;
    readonly locked: boolean;
    readonly executionId?: string;
    readonly stopAfter?: readonly string[];
    readonly backfill?: Schemas["Backfill"];
    readonly evaluations?: readonly Schemas["TriggerEvaluation"][];
  };
  readonly UnitTestResult: {
    readonly testId?: string;
    readonly executionId?: string;
    readonly url?: string;
    readonly executionState?:
      | "CREATED"
      | "RUNNING"
      | "SUCCESS"
      | "WARNING"
      | "FAILED"
      | "KILLED"
      | "CANCELLED"
      | "QUEUED"
      | "PAUSED"
      | "RESTARTED"
      | "KILLING"
      | "RETRYING"
      | "RETRIED"
      | "SKIPPED"
      | "BREAKPOINT"
      | "RESUBMITTED"
      | "SUBMITTED";
    readonly state: "SUCCESS" | "FAILED" | "ERROR" | "SKIPPED";
    readonly assertionResults: readonly Schemas["AssertionResult"][];
    readonly errors: readonly { readonly message: string }[];
  };
}
