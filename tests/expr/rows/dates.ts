/** Dates: letters, named formats, zones, locales, reading, arithmetic. */
import type { Row } from "../support.ts";
import type { Table } from "./table.ts";

const data = {
  d: "2013-09-08T16:19:12Z",
  early: "2024-01-02T03:04:05.006007008Z",
  noon: "2024-05-06T12:00:00Z",
  midnight: "2024-05-06T00:30:00Z",
  bc: "-0043-03-15T12:00:00Z",
  far: "+12024-01-01T00:00:00Z",
  nil: null,
  seconds: 1378657152,
  decimal: 1378657152.25,
  jan: "2024-01-31T10:00:00Z",
  leap: "2024-02-29T12:00:00Z",
};

/** Patterns of one letter on a date, with the text. */
const LETTERS: readonly (readonly [date: string, pattern: string, text: string])[] = [
  ["d", "y", "2013"],
  ["d", "yy", "13"],
  ["d", "yyy", "2013"],
  ["d", "yyyy", "2013"],
  ["d", "yyyyy", "02013"],
  ["d", "u", "2013"],
  ["d", "uuuu", "2013"],
  ["d", "uu", "13"],
  ["far", "yyyy", "+12024"],
  ["far", "yyyyy", "12024"],
  ["bc", "y G", "44 BC"],
  ["bc", "uuuu", "-0043"],
  ["d", "G", "AD"],
  ["d", "GGGG", "Anno Domini"],
  ["d", "GGGGG", "A"],
  ["d", "M", "9"],
  ["d", "MM", "09"],
  ["d", "MMM", "Sep"],
  ["d", "MMMM", "September"],
  ["d", "MMMMM", "S"],
  ["d", "L LL LLL LLLL LLLLL", "9 09 Sep September S"],
  ["d", "d", "8"],
  ["d", "dd", "08"],
  ["d", "D", "251"],
  ["d", "DDD", "251"],
  ["early", "D DD DDD", "2 02 002"],
  ["d", "Q", "3"],
  ["d", "QQ", "03"],
  ["d", "QQQ", "Q3"],
  ["d", "QQQQ", "3rd quarter"],
  ["d", "q qqq", "3 Q3"],
  ["early", "QQQQ", "1st quarter"],
  ["d", "E EE EEE", "Sun Sun Sun"],
  ["d", "EEEE", "Sunday"],
  ["d", "EEEEE", "S"],
  ["d", "e ee eee eeee", "1 01 Sun Sunday"],
  ["d", "c ccc cccc", "1 Sun Sunday"],
  ["noon", "e", "2"],
  ["d", "w ww", "37 37"],
  ["d", "W", "2"],
  ["d", "F", "2"],
  ["d", "YYYY", "2013"],
  ["d", "g", "56543"],
  ["early", "w YYYY", "1 2024"],
  ["d", "a", "PM"],
  ["early", "a", "AM"],
  ["noon", "a h K H k", "PM 12 0 12 12"],
  ["midnight", "a h K H k", "AM 12 0 0 24"],
  ["midnight", "hh KK HH kk", "12 00 00 24"],
  ["d", "B", "in the afternoon"],
  ["d", "h hh", "4 04"],
  ["d", "H HH", "16 16"],
  ["early", "H HH m mm s ss", "3 03 4 04 5 05"],
  ["early", "S", "0"],
  ["early", "SS", "00"],
  ["early", "SSS", "006"],
  ["early", "SSSSSS", "006007"],
  ["early", "SSSSSSSSS", "006007008"],
  ["early", "n", "6007008"],
  ["early", "nnnnnnnnn", "006007008"],
  ["early", "A", "11045006"],
  ["early", "N", "11045006007008"],
  ["d", "VV", "UTC"],
  ["d", "z zzzz", "UTC Coordinated Universal Time"],
  ["d", "X XX XXX XXXX XXXXX", "Z Z Z Z Z"],
  ["d", "x xx xxx", "+00 +0000 +00:00"],
  ["d", "Z ZZ ZZZ ZZZZ ZZZZZ", "+0000 +0000 +0000 GMT Z"],
  ["d", "O OOOO", "GMT GMT"],
  ["d", "yyyy-MM-dd'T'HH:mm:ss", "2013-09-08T16:19:12"],
  ["d", "dd/MM/yyyy HH:mm", "08/09/2013 16:19"],
  ["d", "yyyyMMddHHmmss", "20130908161912"],
  ["d", "'literal' yyyy", "literal 2013"],
  ["d", "h 'o''clock'", "4 o'clock"],
  ["d", "''yyyy''", "'2013'"],
  ["d", "yyyy.MM.dd, HH|mm", "2013.09.08, 16|19"],
  ["d", "EEEE, MMMM d, yyyy", "Sunday, September 8, 2013"],
  ["d", "yyyy[-MM][-dd]", "2013-09-08"],
  ["d", "ppppM|ppd", "   9| 8"],
  ["d", "yyyy年MM月", "2013年09月"],
];

/** Every letter. */
export const PATTERNS: Table = {
  topic: "date letters",
  data,
  rows: LETTERS.map(([date, pattern, text]): Row => [`{{ ${date} | date("${pattern}") }}`, text]),
  errors: [
    "yyyy b",
    "j",
    "l",
    "f",
    "i",
    "P",
    "T",
    "ddd",
    "HHH",
    "hhh",
    "mmm",
    "sss",
    "aa",
    "cc",
    "DDDD",
    "MMMMMM",
    "EEEEEE",
    "GGGGGG",
    "SSSSSSSSSS",
    "V",
    "VVV",
    "zzzzz",
    "OO",
    "XXXXXX",
    "ZZZZZZ",
    "www",
    "WW",
    "FF",
    "vv",
    "'open",
    "[yyyy",
    "yyyy]",
    "{yyyy}",
    "yyyy #",
    "p",
    "ppyyyy",
    "iso_offset_date_time",
    "ISO",
    "unknown",
  ]
    .map((pattern) => [`{{ d | date("${pattern}") }}`, "argument"] as const),
};

/** Every name, in UTC and in a zone with an offset; some of a date with a fraction. */
export const NAMED: Table = {
  topic: "named formats",
  data,
  rows: [
    ["{{ d | date }} {{ d | date('iso') }}", "2013-09-08T16:19:12.000000Z 2013-09-08T16:19:12.000000Z"],
    ["{{ d | date(timeZone='Europe/Paris') }}", "2013-09-08T18:19:12.000000+02:00"],
    [
      "{{ d | date('iso_milli') }} {{ early | date('iso_milli') }}",
      "2013-09-08T16:19:12.000Z 2024-01-02T03:04:05.006Z",
    ],
    [
      "{{ d | date('iso_sec') }} {{ d | date('iso_sec', timeZone='Asia/Kolkata') }}",
      "2013-09-08T16:19:12Z 2013-09-08T21:49:12+05:30",
    ],
    ["{{ early | date('iso') }}", "2024-01-02T03:04:05.006007Z"],
    [
      "{{ d | date('sql') }} {{ d | date('sql_milli') }} {{ d | date('sql_seq') }}",
      "2013-09-08 16:19:12.000000 2013-09-08 16:19:12.000 2013-09-08 16:19:12",
    ],
    ["{{ d | date('sql_seq', timeZone='America/New_York') }}", "2013-09-08 12:19:12"],
    [
      "{{ d | date('iso_instant', timeZone='Asia/Tokyo') }} {{ early | date('iso_instant') }}",
      "2013-09-08T16:19:12Z 2024-01-02T03:04:05.006007008Z",
    ],
    [
      "{{ d | date('iso_date_time') }} {{ d | date('iso_zoned_date_time', timeZone='Europe/Paris') }}",
      "2013-09-08T16:19:12Z[UTC] 2013-09-08T18:19:12+02:00[Europe/Paris]",
    ],
    ["{{ d | date('iso_date_time', timeZone='+02:00') }}", "2013-09-08T18:19:12+02:00"],
    [
      "{{ d | date('iso_local_date_time') }} {{ early | date('iso_local_date_time') }}",
      "2013-09-08T16:19:12 2024-01-02T03:04:05.006007008",
    ],
    [
      "{{ d | date('iso_local_date') }} {{ d | date('iso_local_time') }} {{ early | date('iso_local_time') }}",
      "2013-09-08 16:19:12 03:04:05.006007008",
    ],
    [
      "{{ d | date('iso_time') }} {{ d | date('iso_offset_time', timeZone='Europe/Paris') }}",
      "16:19:12Z 18:19:12+02:00",
    ],
    [
      "{{ d | date('iso_date') }} {{ d | date('iso_date', timeZone='Asia/Tokyo') }}",
      "2013-09-08Z 2013-09-09+09:00",
    ],
    ["{{ d | date('iso_ordinal_date') }} {{ early | date('iso_ordinal_date') }}", "2013-251Z 2024-002Z"],
    [
      "{{ d | date('iso_week_date') }} {{ '2021-01-03' | date('iso_week_date') }} {{ '2024-12-30' | date('iso_week_date') }}",
      "2013-W36-7Z 2020-W53-7Z 2025-W01-1Z",
    ],
    ["{{ d | date('rfc_1123_date_time') }}", "Sun, 8 Sep 2013 16:19:12 GMT"],
    ["{{ d | date('rfc_1123_date_time', timeZone='America/New_York') }}", "Sun, 8 Sep 2013 12:19:12 -0400"],
    ["{{ d | date('rfc_1123_date_time', locale='fr') }}", "Sun, 8 Sep 2013 16:19:12 GMT"],
    ["{{ d | date('full') }}", "Sunday, September 8, 2013 at 4:19:12 PM Coordinated Universal Time"],
    ["{{ d | date('long') }}", "September 8, 2013 at 4:19:12 PM UTC"],
    ["{{ d | date('medium') }} {{ d | date('short') }}", "Sep 8, 2013, 4:19:12 PM 9/8/13, 4:19 PM"],
    ["{{ d | date('long', timeZone='Europe/Paris') }}", "September 8, 2013 at 6:19:12 PM CEST"],
    ["{{ d | date('long', timeZone='+05:30') }}", "September 8, 2013 at 9:49:12 PM +05:30"],
    [
      "{{ d | date('full', timeZone='America/New_York') }}",
      "Sunday, September 8, 2013 at 12:19:12 PM Eastern Daylight Time",
    ],
    [
      "{{ d | date('short', locale='de') }} {{ d | date('medium', locale='de') }}",
      "08.09.13, 16:19 08.09.2013, 16:19:12",
    ],
    ["{{ d | date('short', locale='fr') }}", "08/09/2013 16:19"],
    ["{{ d | date('short', locale='en_GB') }}", "08/09/2013, 16:19"],
  ],
};

/** Names in other languages. */
export const LOCALES: Table = {
  topic: "date locales",
  data,
  rows: [
    ["{{ d | date('EEEE d MMMM yyyy', locale='fr') }}", "dimanche 8 septembre 2013"],
    ["{{ d | date('EEE d MMM', locale='fr') }}", "dim. 8 sept."],
    ["{{ d | date('EEEE, d. MMMM yyyy', locale='de') }}", "Sonntag, 8. September 2013"],
    ["{{ d | date('EEEE d MMMM', locale='es') }}", "domingo 8 septiembre"],
    ["{{ d | date('EEEE d MMMM', locale='it') }}", "domenica 8 settembre"],
    ["{{ d | date('EEEE d MMMM', locale='pt') }}", "domingo 8 setembro"],
    ["{{ d | date('EEEE d MMMM', locale='nl') }}", "zondag 8 september"],
    ["{{ d | date('yyyy年M月d日 EEEE', locale='ja') }}", "2013年9月8日 日曜日"],
    [
      "{{ d | date('EEEE MMMM', locale='en') }} {{ d | date('EEEE MMMM', locale='en-US') }}",
      "Sunday September Sunday September",
    ],
    ["{{ d | date('MMMM', locale='fr_FR') }} {{ d | date('MMMM', locale='fr-CA') }}", "septembre septembre"],
    ["{{ early | date('MMMM', locale='de') }} {{ early | date('MMMM', locale='de_AT') }}", "Januar Jänner"],
    ["{{ early | date('d MMMM', locale='ru') }} {{ early | date('LLLL', locale='ru') }}", "2 января январь"],
    [
      "{{ d | date('QQQ QQQQ', locale='fr') }} {{ d | date('QQQQ', locale='de') }}",
      "T3 3e trimestre 3. Quartal",
    ],
    ["{{ d | date('e w', locale='fr') }} {{ d | date('e w', locale='en') }}", "7 36 1 37"],
    ["{{ d | date('a', locale='ja') }} {{ d | date('h a', locale='es') }}", "午後 4 p.\u00a0m."],
    ["{{ d | dateAdd(1, 'DAYS', 'EEEE', locale='de') }}", "Montag"],
    [
      "{{ d | dateAdd('1', 'DAYS') == d | dateAdd(1, 'DAYS') }} {{ d | dateAdd('-1', 'DAYS') == d | dateAdd(-1, 'DAYS') }}",
      "true true",
    ],
    [
      "{{ '8 septembre 2013' | date('iso_local_date', existingFormat='d MMMM yyyy', locale='fr') }}",
      "2013-09-08",
    ],
    [
      "{{ '8. März 2013' | date('iso_local_date', existingFormat='d. MMMM yyyy', locale='de') }}",
      "2013-03-08",
    ],
  ],
  errors: [
    ["{{ d | date('MMMM', locale='not a locale') }}", "argument"],
    ["{{ d | date('w', locale='!') }}", "argument"],
    ["{{ d | date('short', locale='--') }}", "argument"],
  ],
};

/** Offsets, regions, daylight saving. */
export const ZONES: Table = {
  topic: "zones",
  data,
  rows: [
    [
      "{{ d | date('HH:mm XXX', timeZone='Europe/Paris') }} {{ jan | date('HH:mm XXX', timeZone='Europe/Paris') }}",
      "18:19 +02:00 11:00 +01:00",
    ],
    [
      "{{ d | date('HH:mm VV', timeZone='Asia/Kolkata') }} {{ d | date('HH:mm X', timeZone='Asia/Kolkata') }}",
      "21:49 Asia/Kolkata 21:49 +0530",
    ],
    [
      "{{ d | date('HH:mm VV', timeZone='+05:30') }} {{ d | date('HH:mm VV', timeZone='-03:00') }}",
      "21:49 +05:30 13:19 -03:00",
    ],
    ["{{ d | date('HH:mm VV', timeZone='Z') }} {{ d | date('HH:mm', timeZone='GMT+2') }}", "16:19 Z 18:19"],
    [
      "{{ d | date('z', timeZone='America/New_York') }} {{ jan | date('z', timeZone='America/New_York') }}",
      "EDT EST",
    ],
    [
      "{{ d | date('z', timeZone='Europe/Paris') }} {{ jan | date('z', timeZone='Europe/Paris') }} {{ d | date('z', timeZone='Europe/London') }}",
      "CEST CET BST",
    ],
    [
      "{{ d | date('z', timeZone='Asia/Tokyo') }} {{ d | date('zzzz', timeZone='Europe/Paris') }}",
      "JST Central European Summer Time",
    ],
    ["{{ d | date('v vvvv', timeZone='America/Los_Angeles') }}", "PT Pacific Time"],
    [
      "{{ d | date('X XX XXX x Z ZZZZ O OOOO', timeZone='America/New_York') }}",
      "-04 -0400 -04:00 -04 -0400 GMT-04:00 GMT-4 GMT-04:00",
    ],
    ["{{ d | date('O X', timeZone='+05:30') }}", "GMT+5:30 +0530"],
    [
      "{{ '2024-03-10T06:30Z' | date('HH:mm', timeZone='America/New_York') }} {{ '2024-03-10T07:30Z' | date('HH:mm', timeZone='America/New_York') }}",
      "01:30 03:30",
    ],
    ["{{ '2024-03-10T06:30Z' | dateAdd(1, 'HOURS', 'HH:mm', timeZone='America/New_York') }}", "03:30"],
    [
      "{{ '2024-03-10T02:30:00' | date('iso_sec', timeZone='America/New_York') }}",
      "2024-03-10T03:30:00-04:00",
    ],
    [
      "{{ '2024-11-03T01:30:00' | date('iso_sec', timeZone='America/New_York') }}",
      "2024-11-03T01:30:00-04:00",
    ],
    [
      "{{ '2024-11-03T05:30Z' | dateAdd(1, 'HOURS', 'iso_sec', timeZone='America/New_York') }}",
      "2024-11-03T01:30:00-05:00",
    ],
    [
      "{{ '2024-03-09T02:30:00' | dateAdd(1, 'DAYS', 'iso_sec', timeZone='America/New_York') }}",
      "2024-03-10T03:30:00-04:00",
    ],
    [
      "{{ '2024-03-30T12:00:00' | dateAdd(24, 'HOURS', 'iso_sec', timeZone='Europe/Paris') }}",
      "2024-03-31T13:00:00+02:00",
    ],
    [
      "{{ '2024-03-30T12:00:00Z' | dateAdd(1, 'DAYS', 'iso_sec', timeZone='Europe/Paris') }}",
      "2024-03-31T14:00:00+02:00",
    ],
    [
      "{{ '2024-01-30T23:30:00Z' | dateAdd(1, 'MONTHS', 'iso_sec', timeZone='Europe/Paris') }}",
      "2024-03-01T00:30:00+01:00",
    ],
    [
      "{{ '2024-03-30T12:00:00' | dateAdd(1, 'DAYS', 'iso_sec', timeZone='Europe/Paris') }}",
      "2024-03-31T12:00:00+02:00",
    ],
    [
      "{{ '2024-10-27T00:30Z' | date('HH:mm XXX', timeZone='Europe/Paris') }} {{ '2024-10-27T01:30Z' | date('HH:mm XXX', timeZone='Europe/Paris') }}",
      "02:30 +02:00 02:30 +01:00",
    ],
    [
      "{{ '2024-05-06' | date('iso_sec', timeZone='Asia/Tokyo') }} {{ '2024-05-06T07:08' | date('iso_sec', timeZone='Asia/Tokyo') }}",
      "2024-05-06T00:00:00+09:00 2024-05-06T07:08:00+09:00",
    ],
    [
      "{{ '2024-05-06T07:08:09+02:00' | date('iso_sec') }} {{ '2024-05-06T07:08:09-05:00' | date('iso_sec', timeZone='Europe/Paris') }}",
      "2024-05-06T05:08:09Z 2024-05-06T14:08:09+02:00",
    ],
    ["{{ '2024-05-06T07:08:09+02:00[Europe/Paris]' | date('iso_sec') }}", "2024-05-06T05:08:09Z"],
    [
      "{{ '2024-05-06T07:08:09+05:00[Europe/Paris]' | date('iso_sec') }} {{ '2024-05-06T07:08:09+02:00[Europe/Atlantis]' | date('iso_sec') }}",
      "2024-05-06T02:08:09Z 2024-05-06T05:08:09Z",
    ],
    [
      "{{ '1900-01-01T00:00:00Z' | date('yyyy', timeZone='Europe/Paris') }} {{ '2100-07-01T00:00:00Z' | date('XXX', timeZone='Europe/Paris') }}",
      "1900 +02:00",
    ],
  ],
  errors: [
    ["{{ d | date(timeZone='Nowhere') }}", "argument"],
    ["{{ d | date(timeZone='') }}", "argument"],
    ["{{ d | date(timeZone='+25:00') }}", "argument"],
    ["{{ d | date(timeZone='Europe/Atlantis') }}", "argument"],
  ],
};

/** What counts as a date. */
export const READING: Table = {
  topic: "date reading",
  data,
  rows: [
    [
      "{{ seconds | date('iso_sec') }} {{ 0 | date('iso_sec') }} {{ -1 | date('iso_sec') }}",
      "2013-09-08T16:19:12Z 1970-01-01T00:00:00Z 1969-12-31T23:59:59Z",
    ],
    ["{{ decimal | date('iso_milli') }}", "2013-09-08T16:19:12.250Z"],
    [
      "{{ '2024-05-06' | date('iso_sec') }} {{ '2024-05-06T07:08' | date('iso_sec') }} {{ '2024-05-06T07:08:09' | date('iso_sec') }}",
      "2024-05-06T00:00:00Z 2024-05-06T07:08:00Z 2024-05-06T07:08:09Z",
    ],
    [
      "{{ '2024-05-06T07:08:09.1Z' | date('iso_milli') }} {{ '2024-05-06T07:08:09.123456789Z' | date('n') }}",
      "2024-05-06T07:08:09.100Z 123456789",
    ],
    [
      "{{ d | date | date('iso_sec') }} {{ d | date('iso_date_time') | date('iso_sec') }}",
      "2013-09-08T16:19:12Z 2013-09-08T16:19:12Z",
    ],
    ["{{ 'July 24, 2001' | date('yyyy-MM-dd', existingFormat='MMMM dd, yyyy') }}", "2001-07-24"],
    [
      "{{ '24/07/2001' | date('yyyy-MM-dd', existingFormat='dd/MM/yyyy') }} {{ '1/2/2001' | date('yyyy-MM-dd', existingFormat='d/M/yyyy') }}",
      "2001-07-24 2001-02-01",
    ],
    [
      "{{ '24 Jul 2001 15:04' | date('iso_sec', existingFormat='dd MMM yyyy HH:mm') }}",
      "2001-07-24T15:04:00Z",
    ],
    ["{{ '07/24/01 3:04 PM' | date('iso_sec', existingFormat='MM/dd/yy h:mm a') }}", "2001-07-24T15:04:00Z"],
    ["{{ '20010724150405' | date('iso_sec', existingFormat='yyyyMMddHHmmss') }}", "2001-07-24T15:04:05Z"],
    [
      "{{ '2001-07-24 15:04:05.678' | date('iso_milli', existingFormat='yyyy-MM-dd HH:mm:ss.SSS') }}",
      "2001-07-24T15:04:05.678Z",
    ],
    [
      "{{ '2001-07-24T15:04:05+0200' | date('iso_sec', existingFormat=\"yyyy-MM-dd'T'HH:mm:ssZ\") }}",
      "2001-07-24T13:04:05Z",
    ],
    [
      "{{ '2001-07-24 15:04 +02:00' | date('iso_sec', existingFormat='yyyy-MM-dd HH:mm XXX') }}",
      "2001-07-24T13:04:00Z",
    ],
    [
      "{{ '2001-07-24 15:04' | date('iso_sec', existingFormat='yyyy-MM-dd HH:mm', timeZone='Europe/Paris') }}",
      "2001-07-24T15:04:00+02:00",
    ],
    [
      "{{ 'Tuesday, July 24, 2001' | date('iso_local_date', existingFormat='EEEE, MMMM d, yyyy') }}",
      "2001-07-24",
    ],
    [
      "{{ '2001-205' | date('iso_local_date', existingFormat='yyyy-DDD') }} {{ '2001' | date('iso_local_date', existingFormat='yyyy') }}",
      "2001-07-24 2001-01-01",
    ],
    [
      "{{ '2001-07-24 15:04:05' | date('iso_sec', existingFormat='sql_seq') }} {{ '2001-07-24' | date('iso_sec', existingFormat='iso_local_date') }}",
      "2001-07-24T15:04:05Z 2001-07-24T00:00:00Z",
    ],
    ["{{ '2023-02-31' | date('iso_local_date', existingFormat='yyyy-MM-dd') }}", "2023-02-28"],
    ["{{ '31 Apr 2024' | date('dd MMM', existingFormat='dd MMM yyyy') }}", "30 Apr"],
    ["{{ '2001-07-24 15:04' | timestamp(existingFormat='yyyy-MM-dd HH:mm') }}", "995987040"],
    [
      "[{{ nil | date }}{{ nil | dateAdd(1, 'DAYS') }}{{ nil | timestamp }}{{ nil | timestampMilli }}{{ nil | timestampNano }}]",
      "[]",
    ],
  ],
  errors: [
    ["{{ '' | date }}", "argument"],
    ["{{ 'yesterday' | date }}", "argument"],
    ["{{ '06/05/2024' | date }}", "argument"],
    ["{{ 'Mon, 24 Jul 2001' | date(existingFormat='EEE, dd MMM yyyy') }}", "argument"],
    ["{{ '2024-5-6' | date }}", "argument"],
    ["{{ '2024-05-06 07:08:09' | date }}", "argument"],
    ["{{ '2024-00-01' | date }}", "argument"],
    ["{{ '2023-02-29' | date }}", "argument"],
    ["{{ '2024-05-06T24:00:00Z' | date }}", "argument"],
    ["{{ '2024-05-06T07:60Z' | date }}", "argument"],
    ["{{ '1378657152' | date }}", "argument"],
    ["{{ true | date }}", "type"],
    ["{{ [] | date }}", "type"],
    ["{{ {} | date }}", "type"],
    ["{{ '24.07.2001' | date(existingFormat='yyyy-MM-dd') }}", "argument"],
    ["{{ '2001-13-01' | date(existingFormat='yyyy-MM-dd') }}", "argument"],
    ["{{ '2001-07-24 x' | date(existingFormat='yyyy-MM-dd') }}", "argument"],
    ["{{ '2001-07-32' | date(existingFormat='yyyy-MM-dd') }}", "argument"],
    ["{{ 'Monday, July 24, 2001' | date(existingFormat='EEEE, MMMM d, yyyy') }}", "argument"],
    ["{{ 'Juli 24, 2001' | date(existingFormat='MMMM dd, yyyy') }}", "argument"],
    ["{{ d | date('iso', 'UTC', 'iso', 'en', 'extra') }}", "argument"],
    ["{{ d | date(pattern='yyyy') }}", "argument"],
  ],
};

/** Moving dates, and counting from the epoch. */
export const DATE_MATH: Table = {
  topic: "date math",
  data,
  rows: [
    [
      "{{ d | dateAdd(1, 'DAYS') }} {{ d | dateAdd(-1, 'DAYS', 'iso_local_date') }}",
      "2013-09-09T16:19:12.000000Z 2013-09-07",
    ],
    [
      "{{ d | dateAdd(0, 'DAYS', 'iso_sec') }} {{ d | dateAdd(365, 'DAYS', 'iso_local_date') }}",
      "2013-09-08T16:19:12Z 2014-09-08",
    ],
    [
      "{{ d | dateAdd(1, 'NANOS', 'n') }} {{ d | dateAdd(1, 'MICROS', 'n') }} {{ d | dateAdd(1, 'MILLIS', 'n') }}",
      "1 1000 1000000",
    ],
    ["{{ d | dateAdd(-1, 'NANOS', 'iso_local_time') }}", "16:19:11.999999999"],
    [
      "{{ d | dateAdd(48, 'SECONDS', 'iso_sec') }} {{ d | dateAdd(41, 'MINUTES', 'HH:mm') }} {{ d | dateAdd(8, 'HOURS', 'iso_sec') }}",
      "2013-09-08T16:20:00Z 17:00 2013-09-09T00:19:12Z",
    ],
    [
      "{{ d | dateAdd(1, 'HALF_DAYS', 'iso_sec') }} {{ d | dateAdd(1, 'WEEKS', 'iso_local_date') }}",
      "2013-09-09T04:19:12Z 2013-09-15",
    ],
    [
      "{{ d | dateAdd(1, 'MONTHS', 'iso_local_date') }} {{ d | dateAdd(-9, 'MONTHS', 'iso_local_date') }} {{ d | dateAdd(4, 'MONTHS', 'iso_local_date') }}",
      "2013-10-08 2012-12-08 2014-01-08",
    ],
    [
      "{{ jan | dateAdd(1, 'MONTHS', 'iso_local_date') }} {{ jan | dateAdd(3, 'MONTHS', 'iso_local_date') }} {{ jan | dateAdd(13, 'MONTHS', 'iso_local_date') }}",
      "2024-02-29 2024-04-30 2025-02-28",
    ],
    [
      "{{ leap | dateAdd(1, 'YEARS', 'iso_local_date') }} {{ leap | dateAdd(4, 'YEARS', 'iso_local_date') }} {{ leap | dateAdd(-1, 'YEARS', 'iso_local_date') }}",
      "2025-02-28 2028-02-29 2023-02-28",
    ],
    [
      "{{ d | dateAdd(1, 'DECADES', 'yyyy') }} {{ d | dateAdd(1, 'CENTURIES', 'yyyy') }} {{ d | dateAdd(1, 'MILLENNIA', 'yyyy') }}",
      "2023 2113 3013",
    ],
    ["{{ '2024-02-28' | dateAdd(1, 'DAYS', 'dd') }} {{ '2023-02-28' | dateAdd(1, 'DAYS', 'dd') }}", "29 01"],
    ["{{ '2024-12-31T23:59:59Z' | dateAdd(1, 'SECONDS', 'iso_sec') }}", "2025-01-01T00:00:00Z"],
    ["{{ '2024-01-31T00:30:00+01:00' | dateAdd(1, 'MONTHS', 'iso_sec') }}", "2024-02-28T23:30:00Z"],
    [
      "{{ '2024-01-31T00:30:00+01:00[Europe/Paris]' | dateAdd(1, 'MONTHS', 'iso_sec') }}",
      "2024-02-28T23:30:00Z",
    ],
    [
      "{{ '2024-01-30T23:30:00Z[Europe/Paris]' | dateAdd(1, 'MONTHS', 'iso_sec', timeZone='America/New_York') }}",
      "2024-02-28T18:30:00-05:00",
    ],
    [
      "{{ '2024-03-30T12:00:00+01:00[Europe/Paris]' | dateAdd(1, 'DAYS', 'iso_sec') }} {{ '2024-03-30T12:00:00+01:00' | dateAdd(1, 'DAYS', 'iso_sec') }}",
      "2024-03-31T10:00:00Z 2024-03-31T11:00:00Z",
    ],
    [
      "{{ '2024-01-31T00:30:00+01:00[Europe/Atlantis]' | dateAdd(1, 'MONTHS', 'iso_sec') }}",
      "2024-02-28T23:30:00Z",
    ],
    [
      "{{ '2024-01-31 00:30 +01:00' | dateAdd(1, 'MONTHS', 'iso_sec', existingFormat='yyyy-MM-dd HH:mm XXX') }}",
      "2024-02-28T23:30:00Z",
    ],
    ["{{ d | dateAdd(amount=2, unit='DAYS', format='dd', timeZone='UTC') }}", "10"],
    ["{{ '24/07/2001' | dateAdd(1, 'DAYS', 'iso_local_date', existingFormat='dd/MM/yyyy') }}", "2001-07-25"],
    ["{{ seconds | dateAdd(1, 'DAYS', 'iso_sec') }}", "2013-09-09T16:19:12Z"],
    ["{{ d | dateAdd(-1, 'DAYS') | dateAdd(1, 'DAYS') | date('iso_sec') }}", "2013-09-08T16:19:12Z"],
    [
      "{{ d | timestamp }} {{ d | timestampMilli }} {{ d | timestampMicro }} {{ d | timestampNano }}",
      "1378657152 1378657152000 1378657152000000 1378657152000000000",
    ],
    [
      "{{ early | timestampMilli }} {{ early | timestampMicro }} {{ early | timestampNano }}",
      "1704164645006 1704164645006007 1704164645006007008",
    ],
    [
      "{{ '2013-09-08T16:19:12' | timestamp(timeZone='Europe/Paris') }} {{ '2013-09-08' | timestamp }}",
      "1378649952 1378598400",
    ],
    ["{{ '1970-01-01T00:00:00Z' | timestamp }} {{ '1969-12-31T23:59:59Z' | timestamp }}", "0 -1"],
    ["{{ (d | timestamp) - (d | dateAdd(-1, 'HOURS') | timestamp) }}", "3600"],
  ],
  errors: [
    ["{{ d | dateAdd }}", "argument"],
    ["{{ d | dateAdd(1) }}", "argument"],
    ["{{ d | dateAdd('one', 'DAYS') }}", "argument"],
    ["{{ d | dateAdd('1.5', 'DAYS') }}", "argument"],
    ["{{ d | dateAdd(1.5, 'DAYS') }}", "argument"],
    ["{{ d | dateAdd(1, 'DAY') }}", "argument"],
    ["{{ d | dateAdd(1, 'days') }}", "argument"],
    ["{{ d | dateAdd(1, 'FOREVER') }}", "argument"],
    ["{{ d | dateAdd(1, nil) }}", "argument"],
    ["{{ 'x' | dateAdd(1, 'DAYS') }}", "argument"],
    ["{{ d | dateAdd(9999999999, 'YEARS') }}", "argument"],
    ["{{ 'x' | timestamp }}", "argument"],
    ["{{ true | timestamp }}", "type"],
  ],
};
