/** The version of the program. */
import manifest from "../../deno.json" with { type: "json" };

/** Version of this program, from `deno.json`. */
export const VERSION: string = manifest.version;
