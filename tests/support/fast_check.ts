/**
 * fast-check with one seed for every run, so that a run of the tests says the same each time. `FC_SEED=<number>` takes
 * another, `FC_SEED=random` a new one each time: what it finds becomes a row of a test. A failure prints its seed.
 */
import fc from "fast-check/npm";

const SEED = 2026;

const given = Deno.env.get("FC_SEED");
if (given !== "random") {
  fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: given === undefined ? SEED : Number(given) });
}

export { default } from "fast-check/npm";
