/** Filters above a list. They are kept in the address, so that a list can be shared. */
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { isShortcut, useKeydown } from "../core/keyboard.ts";
import { query, setQuery } from "../core/router.ts";
import { t, type TextName } from "../texts/mod.ts";

/** A value that a person can choose; a plain text is shown as it is. */
type Choice = string | { readonly value: string; readonly title: TextName };

/** One field of a filter; its name is the parameter of the address. */
export interface FilterField {
  readonly name: string;
  /** The parameter of the API, if it has another name. */
  readonly parameter?: string;
  readonly title: TextName;
  /** In the empty field; absent: the title. */
  readonly hint?: TextName;
  /**
   * `text`: one text. `date`: a day. `choice`: one of the choices. `choices`: any number of them. `entries`: any number of texts, each
   * added by Enter. `given`: set by links only, and removable. Values of the last three are shown as chips.
   */
  readonly kind: "text" | "date" | "choice" | "choices" | "entries" | "given";
  readonly choices?: readonly Choice[];
  /** Shown in place of a value; absent: the value. */
  readonly textOf?: (value: string) => string;
}

interface FieldProps {
  readonly field: FilterField;
}

const TYPING_PAUSE_MS = 250;

/** The fields in a row, and a chip for each value that can be removed alone; `/` focuses the first field. */
export function Filters({ fields }: { readonly fields: readonly FilterField[] }) {
  const form = useRef<HTMLFormElement>(null);
  useKeydown((event) => {
    if (event.key !== "/" || !isShortcut(event)) return;
    event.preventDefault();
    form.current?.querySelector("input")?.focus();
  });
  const isFiltered = fields.some(({ name }) => query.value.has(name));
  const clearings = useSignal(0);
  const clear = () => {
    // New fields: what was typed last and is not yet in the address is given up too.
    clearings.value++;
    setQuery(Object.fromEntries([...fields.map(({ name }) => [name, undefined]), ["page", undefined]]));
  };
  return (
    <form ref={form} class="filters" role="search" onSubmit={(event) => event.preventDefault()}>
      {fields.map((field) => <Field key={`${field.name} ${clearings.value}`} field={field} />)}
      {fields.map((field) => <Chips key={field.name} field={field} />)}
      {isFiltered && <button type="button" class="plain" onClick={clear}>{t("common.clear")}</button>}
    </form>
  );
}

function Field({ field }: FieldProps) {
  if (field.kind === "given") return null;
  if (field.kind === "choice" || field.kind === "choices") return <ChoiceField field={field} />;
  return field.kind === "entries" ? <EntryField field={field} /> : <TextField field={field} />;
}

function ChoiceField({ field: { name, title, kind, choices = [] } }: FieldProps) {
  const present = query.value.getAll(name);
  const isSingle = kind === "choice";
  const set = (next: string) => setQuery({ [name]: isSingle ? next : [...present, next], page: undefined });
  const offered = choices.filter((choice) => isSingle || !present.includes(valueOf(choice)));
  return (
    <select
      aria-label={t(title)}
      value={isSingle ? present[0] ?? "" : ""}
      onChange={(event) => set(event.currentTarget.value)}
    >
      <option value="">{t(title)}</option>
      {offered.map((choice) => (
        <option key={valueOf(choice)} value={valueOf(choice)}>{titleOf(choice)}</option>
      ))}
    </select>
  );
}

/** What is typed is applied after a short pause; until then it must survive that the list is drawn again. */
function TextField({ field: { name, title, kind } }: FieldProps) {
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const draft = useSignal<string | undefined>(undefined);
  const onInput = (text: string) => {
    draft.value = text;
    clearTimeout(timer.current);
    timer.current = setTimeout(() => {
      draft.value = undefined;
      setQuery({ [name]: text, page: undefined });
    }, TYPING_PAUSE_MS);
  };
  useEffect(() => () => clearTimeout(timer.current), []);
  const shared = {
    "aria-label": t(title),
    value: draft.value ?? query.value.get(name) ?? "",
    onInput: (event: { readonly currentTarget: HTMLInputElement }) => onInput(event.currentTarget.value),
  };
  if (kind === "date") {
    // Browsers show a pattern in an empty field of dates, and no hint.
    return (
      <label>
        {t(title)} <input type="date" {...shared} />
      </label>
    );
  }
  return <input type="search" placeholder={t(title)} {...shared} />;
}

function EntryField({ field: { name, title, hint = title } }: FieldProps) {
  const draft = useSignal("");
  const onKeyDown = (event: KeyboardEvent) => {
    const text = draft.value.trim();
    if (event.key !== "Enter" || text === "") return;
    event.preventDefault();
    draft.value = "";
    setQuery({ [name]: [...new Set([...query.value.getAll(name), text])], page: undefined });
  };
  return (
    <input
      type="search"
      aria-label={t(title)}
      placeholder={t(hint)}
      value={draft.value}
      onInput={(event) => draft.value = event.currentTarget.value}
      onKeyDown={onKeyDown}
    />
  );
}

function Chips({ field: { name, title, kind, choices = [], textOf = (value) => value } }: FieldProps) {
  if (kind === "text" || kind === "date" || kind === "choice") return null;
  const present = query.value.getAll(name);
  const shown = (value: string) => {
    const choice = choices.find((each) => valueOf(each) === value);
    return choice === undefined ? textOf(value) : titleOf(choice);
  };
  return present.map((value) => {
    const text = `${t(title)}: ${shown(value)}`;
    return (
      <button
        key={value}
        type="button"
        class="chip"
        aria-label={t("filters.remove", { filter: text })}
        onClick={() => setQuery({ [name]: present.filter((each) => each !== value), page: undefined })}
      >
        {text} <span aria-hidden="true">×</span>
      </button>
    );
  });
}

function valueOf(choice: Choice): string {
  return typeof choice === "string" ? choice : choice.value;
}

function titleOf(choice: Choice): string {
  return typeof choice === "string" ? choice : t(choice.title);
}
