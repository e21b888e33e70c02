/** Bounds of what is read as YAML. */

/** Aliases in one document. */
export const MAX_YAML_ALIASES = 100;
/** Levels of maps and lists within each other. */
export const MAX_YAML_DEPTH = 100;
/** Characters that the aliases of one document may stand for. */
export const MAX_YAML_EXPANDED_CHARS = 512 * 1024;
