/**
 * Functions with regular expressions, in Java syntax: `\h` is blank space, not a hexadecimal digit as in other jq. Offsets
 * count in code points.
 */
import type { JsonObject, JsonValue } from "../../../base/json.ts";
import { ExpressionError, type StepBudget } from "../../values/mod.ts";
import { metered, Regex } from "../../regex/mod.ts";
import type { Machine } from "../code.ts";
import { raise } from "../errors.ts";
import { describe, typeName } from "../values.ts";
import { type FunctionEntry, listOf, textOf } from "./entry.ts";

/** Functions for those of the prelude. Arguments: a pattern, or a list of pattern and flags; flags. */
export const REGEX_FUNCTIONS: readonly FunctionEntry[] = [
  ["_match/2", (value, args, machine) => findAll(value, args, machine)],
  ["_split/2", (value, [pattern = null, flags = null], machine) => {
    return split(value, [pattern, typeof flags === "string" ? `${flags}g` : flags ?? "g"], machine);
  }],
  ["_captured/0", (match) => capturedBy(match as JsonObject)],
  ["_edited/1", (value, [edits = null], machine) => edited(value, listOf(edits, "applied"), machine)],
];

interface Pattern {
  readonly regex: Regex;
  /** By index of the group. */
  readonly groupNames: readonly (string | null)[];
}

interface Flags {
  readonly isGlobal: boolean;
  readonly skipsEmpty: boolean;
  readonly isExtended: boolean;
  /** Prefix of the pattern. */
  readonly inline: string;
}

function flagsOf(value: JsonValue): Flags {
  if (value === null) return { isGlobal: false, skipsEmpty: false, isExtended: false, inline: "" };
  const text = textOf(value, `${describe(value)} is not a string`);
  if (!/^[gimnpslx]*$/.test(text) || text.includes("m")) raise(`${text} is not a valid modifier string`);
  const letters = `${text.includes("i") ? "i" : ""}${text.includes("p") ? "s" : ""}`;
  return {
    isGlobal: text.includes("g"),
    skipsEmpty: text.includes("n"),
    isExtended: text.includes("x"),
    inline: letters && `(?${letters})`,
  };
}

function patternOf(source: string, { isExtended, inline }: Flags, context: StepBudget): Pattern {
  const text = inline + (isExtended ? withoutSpace(source) : source);
  return context.memo(`jq regex:${text}`, () => {
    try {
      const regex = new Regex(text);
      const groupNames: (string | null)[] = new Array(regex.groupCount + 1).fill(null);
      for (const [name, index] of regex.groupNames) groupNames[index] = name;
      context.spend(regex.size);
      return { regex, groupNames };
    } catch (error) {
      if (!(error instanceof ExpressionError) || error.code === "limit") throw error;
      return raise(`${source.slice(0, 100)} (at offset 0) is not a valid regex: ${error.reason}`);
    }
  });
}

/** An extended pattern without space and comments outside of classes. */
function withoutSpace(source: string): string {
  return source.replace(
    /(\\[^])|(\[(?:\\[^]|[^\]\\])*\]?)|\s+|#[^\n]*/g,
    (_, escape, group) => escape ?? group ?? "",
  );
}

/** Matches with their offsets, as a list of maps. */
function findAll(
  value: JsonValue,
  [given = null, more = null]: readonly JsonValue[],
  machine: Machine,
): JsonValue[] {
  if (typeof value !== "string") return raise(`${describe(value)} cannot be matched, as it is not a string`);
  const [source = null, own = null] = Array.isArray(given) ? given : [given, null];
  if (typeof source !== "string") return raise(`${typeName(given)} not a string or array`);
  const flags = flagsOf(typeof own === "string" && typeof more === "string" ? own + more : own ?? more);
  const pattern = patternOf(source, flags, machine.context);
  machine.spendText(value.length);
  const pointOf = pointsOf(value);
  return metered(machine.context, (budget) => {
    const finder = pattern.regex.finder(value, budget);
    const matches: JsonValue[] = [];
    for (let at = 0; at <= value.length;) {
      const slots = finder.find(at);
      if (!slots) break;
      const [start = 0, end = 0] = slots;
      at = end > start ? end : end + ((value.codePointAt(end) ?? 0) > 0xffff ? 2 : 1);
      if (end > start || !flags.skipsEmpty) matches.push(matchOf({ value, slots, pointOf }, pattern));
      machine.spendElements(slots.length * 8);
      if (!flags.isGlobal) break;
    }
    return matches;
  });
}

/** Offset in code points, by offset in units. */
function pointsOf(text: string): (at: number) => number {
  if (!/[\ud800-\udbff]/.test(text)) return (at) => at;
  const points = new Int32Array(text.length + 1);
  for (let at = 0, point = 0; at <= text.length; point++) {
    points[at] = point;
    at += (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
  }
  return (at) => points[at] ?? 0;
}

interface Found {
  readonly value: string;
  readonly slots: readonly number[];
  readonly pointOf: (at: number) => number;
}

function matchOf(found: Found, { regex, groupNames }: Pattern): JsonObject {
  const captures = Array.from({ length: regex.groupCount }, (_, at) => ({
    ...groupOf(found, at + 1),
    name: groupNames[at + 1] ?? null,
  }));
  return { ...groupOf(found, 0), captures };
}

function groupOf({ value, slots, pointOf }: Found, group: number): JsonObject {
  const start = slots[2 * group] ?? -1, end = slots[2 * group + 1] ?? -1;
  if (start < 0 || end < 0) return { offset: -1, length: 0, string: null };
  const offset = pointOf(start);
  return { offset, length: pointOf(end) - offset, string: value.slice(start, end) };
}

/** The named groups of a match. */
function capturedBy({ captures = [] }: JsonObject): JsonValue {
  const groups = (captures as JsonObject[]).flatMap(({ name = null, string = null }) =>
    typeof name === "string" ? [[name, string] as const] : []
  );
  return Object.fromEntries(groups);
}

function split(value: JsonValue, args: readonly JsonValue[], machine: Machine): JsonValue {
  const points = [...textOf(value, `${describe(value)} cannot be matched, as it is not a string`)];
  const parts: string[] = [];
  let at = 0;
  for (const match of findAll(value, args, machine)) {
    const { offset, length } = match as { offset: number; length: number };
    parts.push(points.slice(at, offset).join(""));
    at = offset + length;
  }
  parts.push(points.slice(at).join(""));
  return parts;
}

/** The text with edits `[offset, length, texts]`, for every combination; the texts of the first edit change fastest. */
function edited(value: JsonValue, edits: readonly JsonValue[], machine: Machine): JsonValue {
  const points = [...textOf(value, `${describe(value)} cannot be matched, as it is not a string`)];
  let results: string[] = [""];
  let at = points.length;
  for (const edit of edits.toReversed()) {
    const [offset = 0, length = 0, texts = []] = edit as [number, number, JsonValue[]];
    const tail = points.slice(offset + length, at).join("");
    at = offset;
    results = results.flatMap((rest) =>
      texts.map((text) => {
        machine.spendText(tail.length);
        return textOf(text, `${describe(value)} and ${describe(text)} cannot be added`) + tail + rest;
      })
    );
  }
  const head = points.slice(0, at).join("");
  return results.map((rest) => {
    machine.spendText(head.length + rest.length);
    return head + rest;
  });
}
