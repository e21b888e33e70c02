/** Values of a form of inputs. The server says which inputs there are, what their defaults are, and what is wrong. */
import { type ReadonlySignal, type Signal, signal } from "@preact/signals";
import { ApiError, send } from "../api/client.ts";

/** A declared input; only members that fields read. */
export interface InputDeclaration {
  readonly id: string;
  readonly type: string;
  readonly displayName?: string;
  readonly description?: string;
  /** Absent: true. */
  readonly required?: boolean;
  readonly prefill?: unknown;
  readonly min?: number | string;
  readonly max?: number | string;
  /** Each a text, or a value with the label to show. */
  readonly values?: readonly unknown[];
  readonly options?: readonly unknown[];
  readonly isRadio?: boolean;
  readonly allowCustomValue?: boolean;
  readonly itemType?: string;
  readonly allowedFileExtensions?: readonly string[];
}

/** What the server says of one input. */
export interface InputReport {
  readonly input: InputDeclaration;
  /** False while the inputs it depends on keep it from being used. */
  readonly enabled: boolean;
  /** The given value, or the default. */
  readonly value?: unknown;
  readonly isDefault: boolean;
  readonly errors: readonly { readonly message: string }[];
}

/** The response of `…/validate`. */
export interface FormReport {
  readonly inputs: readonly InputReport[];
  /** Checks of the flow that the values would fail. */
  readonly checks: readonly {
    readonly message: string;
    readonly style?: string;
    readonly behavior?: string;
  }[];
}

/** A value as a form sends it. */
export type InputEntry = string | File;

const TYPING_PAUSE_MS = 350;
/** Larger files are sent only with the form itself. */
const MAX_CHECKED_FILE_BYTES = 1_048_576;
const SECRET = "SECRET";
/** As in messages of the server. */
const HIDDEN = "********";
const NOTHING: FormReport = { inputs: [], checks: [] };

/** By id; `undefined` for a field that a person has emptied, whose default applies. */
type Entries = ReadonlyMap<string, InputEntry | undefined>;

/** The values that a person has given, and the latest report about them. */
export class InputValues {
  #path: string;
  readonly #entries: Signal<Entries>;
  /** What the latest report is about. */
  #checked: Entries = new Map();
  readonly #report = signal<FormReport | undefined>(undefined);
  readonly #error = signal<ApiError | undefined>(undefined);
  readonly #showsAll = signal(false);
  /** Fields whose problems are shown. */
  readonly #touched = new Set<string>();
  /** Fields that a person has changed; their problems are shown from the next report on, which is about their values. */
  readonly #changed = new Set<string>();
  #timer: number | undefined;
  #lastCheck = 0;
  #isPrefilled = false;

  /** `path` is that of `…/validate`; `given` are former values, nested ones of a FORM within its value. */
  constructor(path: string, given: Readonly<Record<string, unknown>> = {}) {
    this.#path = path;
    this.#entries = signal(new Map(flattened(given)));
    void this.#check();
  }

  /** `undefined` before the first response. */
  get report(): ReadonlySignal<FormReport | undefined> {
    return this.#report;
  }

  /** Why the values could not be checked. */
  get error(): ReadonlySignal<ApiError | undefined> {
    return this.#error;
  }

  /** The value to show of an input: given, or its default. What a person has emptied stays empty. */
  shown({ input: { id, type }, value, isDefault }: InputReport): InputEntry | undefined {
    const entries = this.#entries.value;
    if (entries.has(id)) return entries.get(id);
    // The report contains the encrypted secret, which cannot be edited.
    return type === SECRET && isDefault ? undefined : textIn(value);
  }

  /** The default that applies to an empty field; that of a secret is hidden. */
  fallback(report: InputReport): string | undefined {
    const { input: { id, type }, value, isDefault } = report;
    const isEmpty = this.shown(report) === undefined;
    if (!isEmpty || !isDefault || !this.#isReported(id)) return undefined;
    return type === SECRET ? HIDDEN : textIn(value);
  }

  /** True if the field has not to be filled in: its default applies, or the server has not said yet that it has none. */
  mayBeEmpty({ input: { id, required }, isDefault }: InputReport): boolean {
    if (required === false) return true;
    if (this.#entries.value.get(id) !== undefined) return false;
    return isDefault || !this.#isReported(id);
  }

  /** False while the report is about a value that the field does not have any more. */
  #isReported(id: string): boolean {
    return this.#entries.value.get(id) === this.#checked.get(id);
  }

  /** The problems of an input, once a person has changed it or sent the form. */
  problems({ input, errors }: InputReport): readonly string[] {
    const isShown = this.#showsAll.value || this.#touched.has(input.id);
    if (!isShown || isUnchecked(this.#entries.value.get(input.id))) return [];
    return errors.map(({ message }) => message);
  }

  /** Sets a value; `undefined` empties the field and lets the default apply. */
  set(id: string, entry: InputEntry | undefined): void {
    this.#entries.value = new Map([...this.#entries.value, [id, entry]]);
    this.#changed.add(id);
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#check(), TYPING_PAUSE_MS);
  }

  /** Checks the values from now on with another path, for example of another revision of the flow. */
  checkWith(path: string): void {
    clearTimeout(this.#timer);
    this.#path = path;
    this.#isPrefilled = false;
    void this.#check();
  }

  /** Checks all values and shows every problem; true if they can be sent. */
  async validate(): Promise<boolean> {
    clearTimeout(this.#timer);
    this.#showsAll.value = true;
    await this.#check();
    const { inputs, checks } = this.#report.value ?? NOTHING;
    const isBlocked = checks.some(({ behavior }) => behavior === "BLOCK_EXECUTION");
    if (this.#error.value || isBlocked) return false;
    return inputs.every((report) => !report.enabled || this.problems(report).length === 0);
  }

  /** The form to send. */
  data(): FormData {
    return formOf(this.#entries.value);
  }

  /** The same for a person to read: secrets are replaced by their names. */
  readableData(): FormData {
    const form = this.data();
    for (const { input: { id, type } } of this.#report.value?.inputs ?? []) {
      if (type === SECRET && form.has(id)) form.set(id, `<${id}>`);
    }
    return form;
  }

  /** Stops a check that has not begun. */
  close(): void {
    clearTimeout(this.#timer);
    this.#lastCheck = Infinity;
  }

  async #check(): Promise<void> {
    const check = ++this.#lastCheck;
    try {
      const checked = new Map([...this.#entries.value].filter(([, entry]) => !isUnchecked(entry)));
      const changed = [...this.#changed];
      const report = await send<FormReport>("POST", this.#path, { body: formOf(checked) });
      if (check !== this.#lastCheck) return;
      if (!this.#isPrefilled) this.#prefill(report);
      this.#isPrefilled = true;
      for (const id of changed) this.#touched.add(id);
      this.#checked = checked;
      this.#report.value = report;
      this.#error.value = undefined;
    } catch (error) {
      if (check !== this.#lastCheck) return;
      this.#error.value = error instanceof ApiError ? error : new ApiError(String(error), 0);
    }
  }

  /** A `prefill` is a suggestion of the form, not a default of the flow. */
  #prefill({ inputs }: FormReport): void {
    const missing = inputs.filter(({ input: { id, prefill } }) =>
      prefill !== undefined && prefill !== null && !this.#entries.value.has(id)
    );
    if (missing.length === 0) return;
    const more = missing.map(({ input: { id, prefill } }) => [id, textOf(prefill)] as const);
    this.#entries.value = new Map([...this.#entries.value, ...more]);
  }
}

function isUnchecked(entry: InputEntry | undefined): boolean {
  return entry instanceof File && entry.size > MAX_CHECKED_FILE_BYTES;
}

function formOf(entries: Entries): FormData {
  const form = new FormData();
  for (const [id, entry] of entries) if (entry !== undefined) form.append(id, entry);
  return form;
}

function textIn(value: unknown): string | undefined {
  return value === undefined || value === null ? undefined : textOf(value);
}

/** Former values by id of the input: those of a FORM are named `form.input`. */
function flattened(given: Readonly<Record<string, unknown>>): [string, string][] {
  return Object.entries(given).flatMap(([id, value]): [string, string][] => {
    if (value === null || value === undefined) return [];
    const nested = typeof value === "object" && !Array.isArray(value) ? Object.entries(value) : [];
    return [
      [id, textOf(value)],
      ...nested.map(([key, each]): [string, string] => [`${id}.${key}`, textOf(each)]),
    ];
  });
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
