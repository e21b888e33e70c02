/** Declarations of task, trigger and condition types. */
import type { PropertySchemas } from "./schema.ts";

/** A metric that attempts of a type report. */
export interface MetricDeclaration {
  readonly type: "counter" | "timer" | "gauge";
  readonly description: string;
}

/** An example of a type. */
export interface TypeExample {
  readonly title: string;
  /** A task or trigger, or a whole flow. */
  readonly yaml: string;
}

/** Common part of all declarations. */
export interface TypeDeclaration {
  /** Canonical name, for example `core.log.Log`. */
  readonly type: string;
  /** Legacy names, without prefix. */
  readonly aliases: readonly string[];
  /** One or two sentences for documentation, Markdown. */
  readonly description: string;
  /** Properties beside the common ones of its kind. */
  readonly properties: PropertySchemas;
  /** Values that expressions read under `outputs.<id>` (tasks) or `trigger` (triggers). */
  readonly outputs?: PropertySchemas;
  /** Declared by a plugin file: its names have no prefix. */
  readonly isOwn?: boolean;
  /** A few words that lists show instead of the name. */
  readonly title?: string;
  /** By name. */
  readonly metrics?: Readonly<Record<string, MetricDeclaration>>;
  /** Absent: an example is derived from the properties. */
  readonly examples?: readonly TypeExample[];
  /** Deprecated but supported; the text names the replacement. */
  readonly deprecated?: string;
  /** Only of a type that will not be supported: the reason and the way out, as the end of a sentence. */
  readonly refusal?: string;
}
