/**
 * Public holidays by country, each on the day that the law names: substitute days and single years are not in it. A change
 * of the law is an edit here, with the new date of the check.
 */
import {
  easter,
  fixed,
  type HolidayRule,
  lastWeekdayBefore,
  nthWeekday,
  orthodoxEaster,
  since,
} from "./rules.ts";

interface CountryHolidays {
  /** The law that names the holidays, or the official page that lists them. */
  readonly source: string;
  /** Day on which the rules were compared with the source, `YYYY-MM-DD`. */
  readonly checkedOn: string;
  readonly all: readonly HolidayRule[];
  /** Further holidays of its parts, by ISO 3166-2 code without the country. */
  readonly parts?: ReadonlyMap<string, readonly HolidayRule[]>;
}

const NEW_YEAR = fixed(1, 1);
const EPIPHANY = fixed(1, 6);
const WOMENS_DAY = fixed(3, 8);
const SAINT_PATRICK = fixed(3, 17);
const LABOUR_DAY = fixed(5, 1);
const ASSUMPTION = fixed(8, 15);
const REFORMATION = fixed(10, 31);
const ALL_SAINTS = fixed(11, 1);
const IMMACULATE_CONCEPTION = fixed(12, 8);
const CHRISTMAS = fixed(12, 25);
const SAINT_STEPHEN = fixed(12, 26);
const GOOD_FRIDAY = easter(-2);
const EASTER_SUNDAY = easter(0);
const EASTER_MONDAY = easter(1);
const ASCENSION = easter(39);
const WHIT_SUNDAY = easter(49);
const WHIT_MONDAY = easter(50);
const CORPUS_CHRISTI = easter(60);
const FIRST_MONDAY_OF_MAY = nthWeekday(1, 1, 5);
const LAST_MONDAY_OF_MAY = nthWeekday(-1, 1, 5);
const FIRST_MONDAY_OF_AUGUST = nthWeekday(1, 1, 8);
const LAST_MONDAY_OF_AUGUST = nthWeekday(-1, 1, 8);

/** The first Monday of February, or 1 February when that is a Friday. */
const SAINT_BRIGID: HolidayRule = (year) => {
  const first = Date.UTC(year, 1, 1);
  return new Date(first).getUTCDay() === 5 ? first : nthWeekday(1, 1, 2)(year);
};

/** The German states with their acts. Holidays of single municipalities are left out. */
const GERMAN_STATES = new Map<string, readonly HolidayRule[]>([
  ["BW", [EPIPHANY, CORPUS_CHRISTI, ALL_SAINTS]], // FTG § 1
  ["BY", [EPIPHANY, CORPUS_CHRISTI, ALL_SAINTS]], // FTG Art. 1
  ["BE", [WOMENS_DAY]], // Gesetz über die Sonn- und Feiertage § 1
  ["BB", [EASTER_SUNDAY, WHIT_SUNDAY, REFORMATION]], // FTG § 2
  ["HB", [REFORMATION]], // Gesetz über die Sonn- und Feiertage § 2
  ["HH", [REFORMATION]], // Feiertagsgesetz § 1
  ["HE", [CORPUS_CHRISTI]], // HFeiertagsG § 1
  ["MV", [WOMENS_DAY, REFORMATION]], // FTG M-V § 2
  ["NI", [REFORMATION]], // NFeiertagsG § 2
  ["NW", [CORPUS_CHRISTI, ALL_SAINTS]], // Feiertagsgesetz NW § 2
  ["RP", [CORPUS_CHRISTI, ALL_SAINTS]], // LFtG § 2
  ["SL", [CORPUS_CHRISTI, ASSUMPTION, ALL_SAINTS]], // SFG § 2
  ["SN", [REFORMATION, lastWeekdayBefore(3, 11, 23)]], // SächsSFG § 1
  ["ST", [EPIPHANY, REFORMATION]], // FeiertG LSA § 2
  ["SH", [REFORMATION]], // SFTG § 2
  ["TH", [fixed(9, 20), REFORMATION]], // ThürFtG § 2
]);

/** Countries by ISO 3166-1 code. */
export const COUNTRIES: ReadonlyMap<string, CountryHolidays> = new Map<string, CountryHolidays>([
  ["AT", {
    source: "Feiertagsruhegesetz 1957 § 1, https://www.ris.bka.gv.at",
    checkedOn: "2026-11-22",
    all: [
      ...[NEW_YEAR, EPIPHANY, EASTER_MONDAY, LABOUR_DAY, ASCENSION, WHIT_MONDAY, CORPUS_CHRISTI],
      ...[ASSUMPTION, fixed(10, 26), ALL_SAINTS, IMMACULATE_CONCEPTION, CHRISTMAS, SAINT_STEPHEN],
    ],
  }],
  ["BE", {
    source: "Arrêté royal du 18 avril 1974, art. 1, https://www.belgium.be/fr/emploi",
    checkedOn: "2026-11-22",
    all: [
      ...[NEW_YEAR, EASTER_MONDAY, LABOUR_DAY, ASCENSION, WHIT_MONDAY, fixed(7, 21), ASSUMPTION],
      ...[ALL_SAINTS, fixed(11, 11), CHRISTMAS],
    ],
  }],
  ["DE", {
    source: "Einigungsvertrag Art. 2 (3 October); for the others the acts of all states",
    checkedOn: "2026-11-22",
    all: [
      ...[NEW_YEAR, GOOD_FRIDAY, EASTER_MONDAY, LABOUR_DAY, ASCENSION, WHIT_MONDAY, fixed(10, 3)],
      ...[CHRISTMAS, SAINT_STEPHEN],
    ],
    parts: GERMAN_STATES,
  }],
  ["ES", {
    source: "Real Decreto 2001/1983, art. 45.1, https://www.boe.es",
    checkedOn: "2026-11-22",
    all: [
      ...[NEW_YEAR, EPIPHANY, GOOD_FRIDAY, LABOUR_DAY, ASSUMPTION, fixed(10, 12), ALL_SAINTS, fixed(12, 6)],
      ...[IMMACULATE_CONCEPTION, CHRISTMAS],
    ],
  }],
  ["FR", {
    source: "Code du travail, art. L3133-1, https://www.legifrance.gouv.fr",
    checkedOn: "2026-11-22",
    all: [
      ...[NEW_YEAR, EASTER_MONDAY, LABOUR_DAY, fixed(5, 8), ASCENSION, WHIT_MONDAY, fixed(7, 14)],
      ...[ASSUMPTION, ALL_SAINTS, fixed(11, 11), CHRISTMAS],
    ],
  }],
  ["GB", {
    source: "Banking and Financial Dealings Act 1971, Schedule 1, and proclamations under section 1(3), " +
      "https://www.legislation.gov.uk/ukpga/1971/80",
    checkedOn: "2026-11-22",
    all: [NEW_YEAR, GOOD_FRIDAY, FIRST_MONDAY_OF_MAY, LAST_MONDAY_OF_MAY, CHRISTMAS, SAINT_STEPHEN],
    parts: new Map([
      ["ENG", [EASTER_MONDAY, LAST_MONDAY_OF_AUGUST]],
      ["WLS", [EASTER_MONDAY, LAST_MONDAY_OF_AUGUST]],
      ["NIR", [SAINT_PATRICK, EASTER_MONDAY, fixed(7, 12), LAST_MONDAY_OF_AUGUST]],
      ["SCT", [fixed(1, 2), FIRST_MONDAY_OF_AUGUST, fixed(11, 30)]],
    ]),
  }],
  ["GR", {
    source:
      "Royal Decree 748/1966, Law 4468/2017 art. 14, Law 4554/2018 art. 42, Law 4808/2021 art. 60; the holidays of " +
      "public services besides: Clean Monday, Good Friday, Whit Monday",
    checkedOn: "2026-11-22",
    all: [
      ...[NEW_YEAR, EPIPHANY, orthodoxEaster(-48), fixed(3, 25), orthodoxEaster(-2), orthodoxEaster(1)],
      ...[LABOUR_DAY, orthodoxEaster(50), ASSUMPTION, fixed(10, 28), CHRISTMAS, SAINT_STEPHEN],
    ],
  }],
  ["IE", {
    source:
      "Organisation of Working Time Act 1997, Schedule 2, https://revisedacts.lawreform.ie/eli/1997/act/20",
    checkedOn: "2026-11-22",
    all: [
      ...[NEW_YEAR, since(2023, SAINT_BRIGID), SAINT_PATRICK, EASTER_MONDAY, FIRST_MONDAY_OF_MAY],
      ...[nthWeekday(1, 1, 6), FIRST_MONDAY_OF_AUGUST, nthWeekday(-1, 1, 10), CHRISTMAS, SAINT_STEPHEN],
    ],
  }],
  ["IT", {
    source:
      "Legge 260/1949, art. 1 and 2, as amended by Legge 151/2025 (4 October), https://www.normattiva.it",
    checkedOn: "2026-11-22",
    all: [
      ...[NEW_YEAR, EPIPHANY, EASTER_MONDAY, fixed(4, 25), LABOUR_DAY, fixed(6, 2), ASSUMPTION],
      ...[since(2026, fixed(10, 4)), ALL_SAINTS, IMMACULATE_CONCEPTION, CHRISTMAS, SAINT_STEPHEN],
    ],
  }],
  ["LU", {
    source: "Code du travail, art. L. 232-2, https://legilux.public.lu",
    checkedOn: "2026-11-22",
    all: [
      ...[NEW_YEAR, EASTER_MONDAY, LABOUR_DAY, fixed(5, 9), ASCENSION, WHIT_MONDAY, fixed(6, 23)],
      ...[ASSUMPTION, ALL_SAINTS, CHRISTMAS, SAINT_STEPHEN],
    ],
  }],
  ["PT", {
    source: "Código do Trabalho, art. 234.º, as amended by Lei 8/2016, https://diariodarepublica.pt",
    checkedOn: "2026-11-22",
    all: [
      ...[NEW_YEAR, GOOD_FRIDAY, EASTER_SUNDAY, fixed(4, 25), LABOUR_DAY, CORPUS_CHRISTI, fixed(6, 10)],
      ...[ASSUMPTION, fixed(10, 5), ALL_SAINTS, fixed(12, 1), IMMACULATE_CONCEPTION, CHRISTMAS],
    ],
  }],
  ["US", {
    source: "5 U.S.C. § 6103(a), https://uscode.house.gov",
    checkedOn: "2026-11-22",
    all: [
      ...[NEW_YEAR, nthWeekday(3, 1, 1), nthWeekday(3, 1, 2), LAST_MONDAY_OF_MAY, fixed(6, 19), fixed(7, 4)],
      ...[nthWeekday(1, 1, 9), nthWeekday(2, 1, 10), fixed(11, 11), nthWeekday(4, 4, 11), CHRISTMAS],
    ],
  }],
]);
