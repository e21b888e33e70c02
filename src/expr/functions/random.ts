/** Functions that return ids and random numbers, from `random` of the scope. */
import type { Context } from "../context.ts";
import { type Arguments, type FunctionEntry, integerArgument, textArgument } from "../entry.ts";
import { fail } from "../../languages/values/mod.ts";

const BASE_62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const NANO_ALPHABET = "_-0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
const ID_LENGTH = 22;
const KSUID_LENGTH = 27;
/** Start of the time of KSUIDs, in seconds since the epoch. */
const KSUID_EPOCH = 1_400_000_000;
const MAX_NANO_LENGTH = 10_000;
/** Dynamic ports: no service is registered for them. */
const FIRST_PORT = 49_152;
const LAST_PORT = 65_535;

/** Functions that use `random`. */
export const RANDOM_FUNCTIONS: readonly FunctionEntry[] = [
  ["uuid", { parameters: [], call: (_, context) => uuid(context) }],
  ["id", { parameters: [], call: (_, context) => randomText(ID_LENGTH, [...BASE_62], context) }],
  ["nanoId", { parameters: ["length", "alphabet"], call: nanoId }],
  ["ksuid", { parameters: [], call: (_, context) => ksuid(context) }],
  ["randomInt", { parameters: ["lower", "upper"], required: 2, call: randomInt }],
  ["randomPort", { parameters: [], call: (_, context) => between(FIRST_PORT, LAST_PORT + 1, context) }],
];

/** `length` random bytes. */
export function randomBytes(length: number, context: Context): Uint8Array<ArrayBuffer> {
  return Uint8Array.from({ length }, () => between(0, 256, context));
}

/** A whole number from `lower` to below `upper`. */
function between(lower: number, upper: number, context: Context): number {
  return lower + Math.floor(context.scope.random() * (upper - lower));
}

function uuid(context: Context): string {
  const bytes = randomBytes(16, context);
  bytes[6] = (bytes[6] as number) & 0x0f | 0x40; // version 4
  bytes[8] = (bytes[8] as number) & 0x3f | 0x80; // variant of RFC 9562
  return bytes.toHex().replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}

function randomText(length: number, alphabet: readonly string[], context: Context): string {
  return Array.from({ length }, () => alphabet[between(0, alphabet.length, context)]).join("");
}

function nanoId(args: Arguments, context: Context): string {
  const length = integerArgument(args[0], "length", 21);
  const letters = textArgument(args[1], "alphabet", NANO_ALPHABET);
  if (length < 1 || length > MAX_NANO_LENGTH) fail("argument", `Cannot make an id of ${length} characters`);
  context.spend((letters.length >>> 4) + length);
  const alphabet = [...letters];
  if (alphabet.length === 0) fail("argument", "Cannot make an id: the alphabet is empty");
  return randomText(length, alphabet, context);
}

/** 4 bytes of time and 16 random ones, in base62. */
function ksuid(context: Context): string {
  let value = BigInt(Math.max(0, Math.floor(context.scope.now / 1000) - KSUID_EPOCH));
  for (const byte of randomBytes(16, context)) value = value << 8n | BigInt(byte);
  let text = "";
  for (; text.length < KSUID_LENGTH; value /= 62n) text = BASE_62[Number(value % 62n)] + text;
  return text;
}

/** A whole number from `lower` to `upper`, both included. */
function randomInt(args: Arguments, context: Context): number {
  const lower = integerArgument(args[0], "lower"), upper = integerArgument(args[1], "upper");
  if (lower > upper) {
    fail("argument", `Cannot draw a number from ${lower} to ${upper}: lower must not be above upper`);
  }
  return between(lower, upper + 1, context);
}
