/** Labels: key-value tags of flows and executions. */
import { DomainError } from "../errors.ts";
import { MAX_LABEL_LENGTH, MAX_LABELS } from "../limits.ts";

/** A label. The key is not empty, and the value only where an expression of a trigger gives none. */
export interface Label {
  readonly key: string;
  readonly value: string;
}

/**
 * Prefix of labels set by the server. Users may set only {@link CORRELATION_LABEL} and {@link FROM_LABEL} (at a start)
 * and {@link READ_ONLY_LABEL} (on flows).
 */
export const SYSTEM_LABEL_PREFIX = "system.";
/** Groups related executions; by default the id of the execution. */
export const CORRELATION_LABEL = "system.correlationId";
/** The client that started an execution; set by existing user interfaces. */
export const FROM_LABEL = "system.from";
/** Marks a flow that the editor must not change. */
export const READ_ONLY_LABEL = "system.readOnly";
/** Marks an execution that has been replayed. */
export const REPLAYED_LABEL = "system.replayed";

/** Marks an execution that tests its flow. */
export const TEST_LABEL = "system.test";

/** Error message for a label that only the server may set. Existing clients depend on the text. */
export function systemLabelMessage(key: string, value: string): string {
  return `System labels can only be set by Kestra itself, offending label: ${key}=${value}`;
}

/** True for a label with the prefix of the server. */
export function isSystemLabel(key: string): boolean {
  return key.startsWith(SYSTEM_LABEL_PREFIX);
}

/** Reads a map or a list of `{key, value}`. Values become texts; the last label of a key wins. */
export function readLabels(value: unknown): Label[] {
  if (typeof value !== "object" || value === null) return [];
  const entries: [unknown, unknown][] = Array.isArray(value)
    ? value.map((item) => [item?.key, item?.value])
    : Object.entries(value);
  return mergeLabels(entries.map(([key, text]) => ({ key: String(key ?? ""), value: String(text ?? "") })));
}

/** True if the list contains the label. */
export function hasLabel(labels: readonly Label[], { key, value }: Label): boolean {
  return labels.some((label) => label.key === key && label.value === value);
}

/** Merges lists of labels; a later label replaces an earlier one of the same key in place. */
export function mergeLabels(...lists: readonly (readonly Label[])[]): Label[] {
  const given = lists.filter((list) => list.length > 0);
  if (given.length === 0) return [];
  const merged = new Map<string, Label>();
  for (const label of given.flat()) merged.set(label.key, label);
  return [...merged.values()];
}

/** Validates the labels of a start request, but for those of `known`. @throws DomainError invalid_entity */
export function checkStartLabels(labels: readonly Label[], known?: readonly Label[]): void {
  const reason = labelsProblem(labels, known);
  if (reason !== undefined) throw new DomainError("invalid_entity", `Invalid entity: labels: ${reason}`);
}

/** The first problem of labels given by a caller; `undefined` if they are valid, as those of `known` are. */
export function labelsProblem(labels: readonly Label[], known: readonly Label[] = []): string | undefined {
  if (labels.length > MAX_LABELS) return `at most ${MAX_LABELS} are allowed`;
  for (const label of labels) {
    const reason = hasLabel(known, label) ? undefined : labelProblem(label);
    if (reason !== undefined) return reason;
  }
  return undefined;
}

function labelProblem({ key, value }: Label): string | undefined {
  if (key === "" || value === "") return `key and value must not be empty, but received "${key}:${value}"`;
  if (key.length > MAX_LABEL_LENGTH || value.length > MAX_LABEL_LENGTH) {
    return `"${key.slice(0, 50)}" is longer than ${MAX_LABEL_LENGTH} characters`;
  }
  if (isSystemLabel(key) && key !== CORRELATION_LABEL && key !== FROM_LABEL) {
    return systemLabelMessage(key, value);
  }
  return undefined;
}

/** Parses `key:value`, split at the first colon. @throws DomainError invalid_entity */
export function parseLabel(text: string): Label {
  const colon = text.indexOf(":");
  if (colon <= 0 || colon === text.length - 1) {
    throw new DomainError(
      "invalid_entity",
      `Invalid entity: labels: "${text}" must be of the form "key:value"`,
    );
  }
  return { key: text.slice(0, colon), value: text.slice(colon + 1) };
}
