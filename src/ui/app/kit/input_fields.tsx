/** The control of one input, by its type. */
import type { JSX } from "preact";
import { t } from "../texts/mod.ts";
import type { InputDeclaration, InputEntry, InputReport, InputValues } from "./input_values.ts";

interface FieldProps {
  readonly report: InputReport;
  readonly values: InputValues;
  readonly id: string;
  readonly describedBy: string;
  readonly isInvalid: boolean;
}

/** What all controls have in common. */
interface Control extends FieldProps {
  readonly input: InputDeclaration;
  readonly value: InputEntry | undefined;
  readonly text: string;
  readonly set: (entry: InputEntry | undefined) => void;
  readonly attributes: {
    readonly id: string;
    readonly name: string;
    readonly required: boolean;
    readonly "aria-describedby": string;
    readonly "aria-invalid": boolean;
  };
}

type Draw = (control: Control) => JSX.Element;

const FIELDS: ReadonlyMap<string, Draw> = new Map<string, Draw>([
  ["SECRET", (control) => lineField(control, { type: "password", autocomplete: "new-password" })],
  ["INT", (control) => numberField(control, 1)],
  ["FLOAT", (control) => numberField(control, "any")],
  ["BOOLEAN", booleanField],
  ["BOOL", booleanField],
  ["DATETIME", dateTimeField],
  ["DATE", (control) => lineField(control, { type: "date" })],
  ["TIME", (control) => lineField(control, { type: "time", step: 1 })],
  ["DURATION", (control) => lineField(control, { placeholder: "PT1H30M" })],
  ["URI", (control) => lineField(control, { type: "url", placeholder: "https://" })],
  ["EMAIL", (control) => lineField(control, { type: "email" })],
  ["FILE", fileField],
  ["JSON", (control) => textField(control, "{ }")],
  ["YAML", (control) => textField(control, "key: value")],
  ["ION", (control) => textField(control)],
  ["ARRAY", (control) => textField(control, "[ ]")],
  ["SELECT", selectField],
  ["ENUM", selectField],
  ["MULTISELECT", choicesField],
]);

/** The control; one line of text for a type that is not known. */
export function fieldOf(props: FieldProps): JSX.Element {
  const { report, values, id, describedBy, isInvalid } = props;
  const { input } = report;
  const value = values.shown(report);
  const draw = FIELDS.get(input.type) ?? ((control) => lineField(control, {}));
  return draw({
    ...props,
    input,
    value,
    text: typeof value === "string" ? value : "",
    set: (entry) => values.set(input.id, entry),
    attributes: {
      id,
      name: input.id,
      // A browser does not send a form with an empty field that is required.
      required: !values.mayBeEmpty(report),
      "aria-describedby": describedBy,
      "aria-invalid": isInvalid,
    },
  });
}

function lineField(
  { text, set, attributes }: Control,
  more: JSX.IntrinsicElements["input"],
): JSX.Element {
  return (
    <input
      type="text"
      autocomplete="off"
      {...more}
      {...attributes}
      value={text}
      onInput={(event) => set(given(event.currentTarget.value))}
    />
  );
}

function numberField(control: Control, step: number | "any"): JSX.Element {
  const { min, max } = control.input;
  return lineField(control, { type: "number", step, min, max });
}

function textField({ text, set, attributes }: Control, placeholder?: string): JSX.Element {
  return (
    <textarea
      {...attributes}
      class="mono"
      rows={Math.min(12, Math.max(3, text.split("\n").length))}
      spellcheck={false}
      placeholder={placeholder}
      value={text}
      onInput={(event) => set(given(event.currentTarget.value))}
    />
  );
}

/** Three choices, as a required value without a default has none at first. */
function booleanField({ text, set, attributes }: Control): JSX.Element {
  return (
    <select {...attributes} value={text} onChange={(event) => set(given(event.currentTarget.value))}>
      <option value="">–</option>
      <option value="true">{t("common.yes")} (true)</option>
      <option value="false">{t("common.no")} (false)</option>
    </select>
  );
}

/** The field works in the zone of this browser; the server gets an instant. */
function dateTimeField({ text, set, attributes }: Control): JSX.Element {
  const onInput = (event: { readonly currentTarget: HTMLInputElement }) => {
    const at = new Date(event.currentTarget.value);
    set(Number.isNaN(at.getTime()) ? undefined : at.toISOString());
  };
  return (
    <>
      <input {...attributes} type="datetime-local" step={1} value={localText(text)} onInput={onInput} />
      {text !== "" && <small class="mono">{text}</small>}
    </>
  );
}

function localText(iso: string): string {
  const at = new Date(iso);
  if (Number.isNaN(at.getTime())) return "";
  const local = new Date(at.getTime() - at.getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, 19);
}

function fileField({ text, value, set, attributes, input }: Control): JSX.Element {
  const former = value instanceof File ? undefined : text.split("/").at(-1);
  return (
    <>
      <input
        {...attributes}
        // The control itself is empty beside a former file.
        required={attributes.required && value === undefined}
        type="file"
        accept={input.allowedFileExtensions?.join(",")}
        onChange={(event) => set(event.currentTarget.files?.[0])}
      />
      {former && <small class="mono">{former}</small>}
    </>
  );
}

interface Choice {
  readonly value: string;
  readonly label: string;
}

function choicesOf({ values, options }: InputDeclaration): Choice[] {
  return (values ?? options ?? []).map((item) => {
    if (typeof item !== "object" || item === null) return { value: String(item), label: String(item) };
    const { value, label } = item as { value?: unknown; label?: unknown };
    return { value: String(value), label: String(label ?? value) };
  });
}

function selectField(control: Control): JSX.Element {
  const { input, text, set, attributes } = control;
  const choices = choicesOf(input);
  if (input.isRadio) return <>{choices.map((choice) => radio(control, choice))}</>;
  if (input.allowCustomValue) {
    return (
      <>
        {lineField(control, { list: `${attributes.id}-choices` })}
        <datalist id={`${attributes.id}-choices`}>
          {choices.map(({ value, label }) => <option key={value} value={value}>{label}</option>)}
        </datalist>
      </>
    );
  }
  return (
    <select {...attributes} value={text} onChange={(event) => set(given(event.currentTarget.value))}>
      <option value="">–</option>
      {choices.map(({ value, label }) => <option key={value} value={value}>{label}</option>)}
    </select>
  );
}

function radio({ input, text, set }: Control, { value, label }: Choice): JSX.Element {
  return (
    <label key={value} class="choice">
      <input type="radio" name={input.id} checked={text === value} onChange={() => set(value)} />
      {label}
    </label>
  );
}

function choicesField({ input, text, set }: Control): JSX.Element {
  const chosen = listOf(text);
  const choices = choicesOf(input);
  const toggle = (value: string) => {
    const next = chosen.includes(value) ? chosen.filter((each) => each !== value) : [...chosen, value];
    // None is a value, too.
    set(JSON.stringify(next));
  };
  return (
    <>
      {choices.map(({ value, label }) => (
        <label key={value} class="choice">
          <input type="checkbox" checked={chosen.includes(value)} onChange={() => toggle(value)} />
          {label}
        </label>
      ))}
    </>
  );
}

function listOf(text: string): string[] {
  try {
    const list = JSON.parse(text);
    return Array.isArray(list) ? list.map(String) : [];
  } catch {
    return [];
  }
}

/**
 * An empty field lets the default apply, whatever its type. STRING and EMAIL have the empty text as a value, too, but a person
 * who empties a number, a date and a text in the same form expects the same of each, and the form says what applies.
 */
function given(text: string): string | undefined {
  return text === "" ? undefined : text;
}
