/** A form of inputs of any type: of a start, of a resume, of a replay. */
import { useEffect, useMemo, useRef } from "preact/hooks";
import { t } from "../texts/mod.ts";
import { ErrorCard, Skeleton } from "./feedback.tsx";
import { type InputReport, InputValues } from "./input_values.ts";
import { fieldOf } from "./input_fields.tsx";

/** The values of a form, new ones when `path` changes. `path` is that of `…/validate`. */
export function useInputValues(path: string, given?: Readonly<Record<string, unknown>>): InputValues {
  const values = useMemo(() => new InputValues(path, given), [path]);
  useEffect(() => () => values.close(), [values]);
  return values;
}

/** The fields, with the problems of each. */
export function InputForm({ values }: { readonly values: InputValues }) {
  const report = values.report.value;
  const error = values.error.value;
  const form = useRef<HTMLDivElement>(null);
  useEffect(() => focusFirst(form.current), [report !== undefined]);
  if (!report) return error ? <ErrorCard error={error} /> : <Pending />;
  const inputs = report.inputs.filter(({ enabled }) => enabled);
  return (
    <div ref={form} class="input-form">
      {error && <ErrorCard error={error} />}
      {report.checks.map(({ message, style = "INFO" }) => (
        <div key={message} class={`notice ${NOTICES.get(style) ?? ""}`} role="status">{message}</div>
      ))}
      {inputs.length === 0 && <p class="dim">{t("input.none")}</p>}
      {inputs.map((each) => <Field key={each.input.id} report={each} values={values} />)}
    </div>
  );
}

/** Has the focus of a dialog until the fields are there. */
function Pending() {
  return (
    <div class="input-form" tabIndex={-1}>
      <Skeleton rows={3} />
    </div>
  );
}

/** The fields are there later than the rest of a dialog; a field that a person has chosen keeps the focus. */
function focusFirst(form: HTMLElement | null): void {
  if (document.activeElement?.matches("input, select, textarea")) return;
  form?.querySelector<HTMLElement>("input, select, textarea")?.focus();
}

const NOTICES: ReadonlyMap<string, string> = new Map([["ERROR", "bad"], ["WARNING", "warn"]]);
/** Types whose field is a group of several controls. */
const GROUPS: ReadonlySet<string> = new Set(["MULTISELECT"]);

function Field({ report, values }: { readonly report: InputReport; readonly values: InputValues }) {
  const { input } = report;
  const problems = values.problems(report);
  const id = `input-${input.id}`;
  const describedBy = `${id}-about`;
  const title = (
    <span>
      {input.displayName ?? input.id}
      {input.required === false
        ? <small>{t("input.optional")}</small>
        : <b class="required" title={t("input.required")} aria-hidden="true">*</b>}
      <small class="type">{input.type}</small>
    </span>
  );
  const control = fieldOf({ report, values, id, describedBy, isInvalid: problems.length > 0 });
  const fallback = values.fallback(report);
  const isGroup = GROUPS.has(input.type) || input.isRadio === true;
  return (
    <div class="field">
      {isGroup
        ? (
          <fieldset aria-describedby={describedBy}>
            <legend>{title}</legend>
            {control}
          </fieldset>
        )
        : (
          <>
            <label for={id}>{title}</label>
            {control}
          </>
        )}
      <div id={describedBy}>
        {input.description && <small>{input.description}</small>}
        {fallback !== undefined && <small>{t("input.default", { value: fallback })}</small>}
        {problems.map((problem) => <p key={problem} class="problem" role="alert">{problem}</p>)}
      </div>
    </div>
  );
}
