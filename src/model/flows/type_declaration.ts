/** What every type that flows can name has in common: tasks, triggers and conditions. */
import type { PropertySchemas } from "./schema.ts";

/** A type as flows, editors and documentation know it. */
export interface TypeDeclaration {
  /** Canonical name, for example `core.log.Log`. */
  readonly type: string;
  /** Older names, without prefix. */
  readonly aliases: readonly string[];
  /** One or two sentences for documentation, Markdown. */
  readonly description: string;
  /** Properties beside those that all types of its kind have. */
  readonly properties: PropertySchemas;
  /** What expressions find under `outputs.<id>` (tasks) or `trigger` (triggers). */
  readonly outputs?: PropertySchemas;
  /** The type still works; says what to use instead. */
  readonly deprecated?: string;
}
