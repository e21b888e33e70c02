/** What a trigger did at its last dates, and why it started nothing. */
import { pagePath } from "../../core/places.ts";
import { Outcome } from "../../kit/outcome.tsx";
import { Time } from "../../kit/values.tsx";
import { t } from "../../texts/mod.ts";
import { type Evaluation, OUTCOME_TONES, type TriggerKey } from "./trigger.ts";

interface EvaluationProps {
  readonly evaluation: Evaluation | undefined;
  readonly of: TriggerKey;
}

/** An evaluation in a line: outcome, and the reason or the execution. */
export function EvaluationLine({ evaluation, of }: EvaluationProps) {
  if (!evaluation) return <span class="dim">{t("triggers.notYet")}</span>;
  const { outcome, reason, executionId } = evaluation;
  return (
    <span class="evaluation">
      <Outcome tone={OUTCOME_TONES[outcome]} text={t(`triggers.outcome.${outcome}`)} />
      {executionId && (
        <a class="mono" href={pagePath("executions", of.namespace, of.flowId, executionId)}>{executionId}</a>
      )}
      {reason && <span class="reason">{reason}</span>}
    </span>
  );
}

/** The last evaluations, the latest first. */
export function EvaluationList({ evaluations, of }: {
  readonly evaluations: readonly Evaluation[];
  readonly of: TriggerKey;
}) {
  if (evaluations.length === 0) return <p class="dim">{t("triggers.noEvaluations")}</p>;
  return (
    <ol class="evaluations">
      {evaluations.map((each) => (
        <li key={each.evaluatedAt}>
          <Time at={each.evaluatedAt} />
          <EvaluationLine evaluation={each} of={of} />
        </li>
      ))}
    </ol>
  );
}
