/** Public holidays of countries, by ISO 3166-1 code, as the law has them on their own day; days in lieu are not reckoned. */
import { easter, fixed, type HolidayRule, nthWeekday, orthodoxEaster } from "./rules.ts";

/** Holidays of a country, and further ones of its parts by ISO 3166-2 code without the country. */
interface CountryHolidays {
  readonly all: readonly HolidayRule[];
  readonly parts?: ReadonlyMap<string, readonly HolidayRule[]>;
}

const NEW_YEAR = fixed(1, 1);
const EPIPHANY = fixed(1, 6);
const LABOUR_DAY = fixed(5, 1);
const ASSUMPTION = fixed(8, 15);
const ALL_SAINTS = fixed(11, 1);
const IMMACULATE_CONCEPTION = fixed(12, 8);
const CHRISTMAS = fixed(12, 25);
const SAINT_STEPHEN = fixed(12, 26);
const GOOD_FRIDAY = easter(-2);
const EASTER_MONDAY = easter(1);
const ASCENSION = easter(39);
const WHIT_MONDAY = easter(50);
const CORPUS_CHRISTI = easter(60);
const REFORMATION = fixed(10, 31);

const GERMAN_PARTS = new Map<string, readonly HolidayRule[]>([
  ["BW", [EPIPHANY, CORPUS_CHRISTI, ALL_SAINTS]],
  ["BY", [EPIPHANY, CORPUS_CHRISTI, ALL_SAINTS]],
  ["BE", [fixed(3, 8)]],
  ["BB", [REFORMATION]],
  ["HB", [REFORMATION]],
  ["HH", [REFORMATION]],
  ["HE", [CORPUS_CHRISTI]],
  ["MV", [fixed(3, 8), REFORMATION]],
  ["NI", [REFORMATION]],
  ["NW", [CORPUS_CHRISTI, ALL_SAINTS]],
  ["RP", [CORPUS_CHRISTI, ALL_SAINTS]],
  ["SL", [CORPUS_CHRISTI, ASSUMPTION, ALL_SAINTS]],
  ["SN", [REFORMATION]],
  ["ST", [EPIPHANY, REFORMATION]],
  ["SH", [REFORMATION]],
  ["TH", [fixed(9, 20), REFORMATION]],
]);

/** Countries by code. */
export const COUNTRIES: ReadonlyMap<string, CountryHolidays> = new Map<string, CountryHolidays>([
  ["AT", {
    all: [
      ...[NEW_YEAR, EPIPHANY, EASTER_MONDAY, LABOUR_DAY, ASCENSION, WHIT_MONDAY, CORPUS_CHRISTI],
      ...[ASSUMPTION, fixed(10, 26), ALL_SAINTS, IMMACULATE_CONCEPTION, CHRISTMAS, SAINT_STEPHEN],
    ],
  }],
  ["BE", {
    all: [
      ...[NEW_YEAR, EASTER_MONDAY, LABOUR_DAY, ASCENSION, WHIT_MONDAY, fixed(7, 21), ASSUMPTION],
      ...[ALL_SAINTS, fixed(11, 11), CHRISTMAS],
    ],
  }],
  ["DE", {
    all: [
      ...[NEW_YEAR, GOOD_FRIDAY, EASTER_MONDAY, LABOUR_DAY, ASCENSION, WHIT_MONDAY, fixed(10, 3)],
      ...[CHRISTMAS, SAINT_STEPHEN],
    ],
    parts: GERMAN_PARTS,
  }],
  ["ES", {
    all: [
      ...[NEW_YEAR, EPIPHANY, GOOD_FRIDAY, LABOUR_DAY, ASSUMPTION, fixed(10, 12), ALL_SAINTS, fixed(12, 6)],
      ...[IMMACULATE_CONCEPTION, CHRISTMAS],
    ],
  }],
  ["FR", {
    all: [
      ...[NEW_YEAR, EASTER_MONDAY, LABOUR_DAY, fixed(5, 8), ASCENSION, WHIT_MONDAY, fixed(7, 14)],
      ...[ASSUMPTION, ALL_SAINTS, fixed(11, 11), CHRISTMAS],
    ],
  }],
  ["GB", {
    all: [
      ...[NEW_YEAR, GOOD_FRIDAY, nthWeekday(1, 1, 5), nthWeekday(-1, 1, 5), CHRISTMAS, SAINT_STEPHEN],
    ],
    parts: new Map([
      ["ENG", [EASTER_MONDAY, nthWeekday(-1, 1, 8)]],
      ["WLS", [EASTER_MONDAY, nthWeekday(-1, 1, 8)]],
      ["NIR", [fixed(3, 17), EASTER_MONDAY, fixed(7, 12), nthWeekday(-1, 1, 8)]],
      ["SCT", [fixed(1, 2), nthWeekday(1, 1, 8), fixed(11, 30)]],
    ]),
  }],
  ["GR", {
    all: [
      ...[NEW_YEAR, EPIPHANY, orthodoxEaster(-48), fixed(3, 25), orthodoxEaster(-2), orthodoxEaster(1)],
      ...[LABOUR_DAY, orthodoxEaster(50), ASSUMPTION, fixed(10, 28), CHRISTMAS, SAINT_STEPHEN],
    ],
  }],
  ["IE", {
    all: [
      ...[NEW_YEAR, fixed(3, 17), EASTER_MONDAY, nthWeekday(1, 1, 5), nthWeekday(1, 1, 6)],
      ...[nthWeekday(1, 1, 8), nthWeekday(-1, 1, 10), CHRISTMAS, SAINT_STEPHEN],
    ],
  }],
  ["IT", {
    all: [
      ...[NEW_YEAR, EPIPHANY, EASTER_MONDAY, fixed(4, 25), LABOUR_DAY, fixed(6, 2), ASSUMPTION],
      ...[ALL_SAINTS, IMMACULATE_CONCEPTION, CHRISTMAS, SAINT_STEPHEN],
    ],
  }],
  ["LU", {
    all: [
      ...[NEW_YEAR, EASTER_MONDAY, LABOUR_DAY, fixed(5, 9), ASCENSION, WHIT_MONDAY, fixed(6, 23)],
      ...[ASSUMPTION, ALL_SAINTS, CHRISTMAS, SAINT_STEPHEN],
    ],
  }],
  ["PT", {
    all: [
      ...[NEW_YEAR, GOOD_FRIDAY, easter(0), fixed(4, 25), LABOUR_DAY, CORPUS_CHRISTI, fixed(6, 10)],
      ...[ASSUMPTION, fixed(10, 5), ALL_SAINTS, fixed(12, 1), IMMACULATE_CONCEPTION, CHRISTMAS],
    ],
  }],
  ["US", {
    all: [
      ...[
        NEW_YEAR,
        nthWeekday(3, 1, 1),
        nthWeekday(3, 1, 2),
        nthWeekday(-1, 1, 5),
        fixed(6, 19),
        fixed(7, 4),
      ],
      ...[nthWeekday(1, 1, 9), nthWeekday(2, 1, 10), fixed(11, 11), nthWeekday(4, 4, 11), CHRISTMAS],
    ],
  }],
]);
