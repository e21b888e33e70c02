/**
 * The named patterns of grok expressions, as regular expressions that may refer to each other by `%{NAME}`. Names and meaning follow
 * the patterns that Logstash has; they are written anew for the own engine, which takes linear time without look-around, and
 * bounds the size of a pattern.
 */

const BASE: Readonly<Record<string, string>> = {
  USERNAME: "[a-zA-Z0-9._-]+",
  USER: "%{USERNAME}",
  EMAILLOCALPART: "[a-zA-Z0-9!#$%&'*+/=?^_`{|}~.-]+",
  EMAILADDRESS: "%{EMAILLOCALPART}@%{HOSTNAME}",
  INT: "[+-]?[0-9]+",
  BASE10NUM: "[+-]?(?:[0-9]+(?:\\.[0-9]+)?|\\.[0-9]+)",
  NUMBER: "%{BASE10NUM}",
  BASE16NUM: "[+-]?(?:0x)?[0-9A-Fa-f]+",
  BASE16FLOAT: "[+-]?(?:0x)?(?:[0-9A-Fa-f]+(?:\\.[0-9A-Fa-f]*)?|\\.[0-9A-Fa-f]+)",
  POSINT: "[1-9][0-9]*",
  NONNEGINT: "[0-9]+",
  WORD: "\\b\\w+\\b",
  NOTSPACE: "\\S+",
  SPACE: "\\s*",
  DATA: ".*?",
  GREEDYDATA: ".*",
  QUOTEDSTRING: "(?:\"(?:\\\\.|[^\\\\\"])*\"|'(?:\\\\.|[^\\\\'])*'|`(?:\\\\.|[^\\\\`])*`)",
  QS: "%{QUOTEDSTRING}",
  UUID: "[A-Fa-f0-9]{8}-(?:[A-Fa-f0-9]{4}-){3}[A-Fa-f0-9]{12}",
  URN: 'urn:[0-9A-Za-z][0-9A-Za-z-]+:[^\\s"]+',
};

const NETWORK: Readonly<Record<string, string>> = {
  CISCOMAC: "(?:[A-Fa-f0-9]{4}\\.){2}[A-Fa-f0-9]{4}",
  WINDOWSMAC: "(?:[A-Fa-f0-9]{2}-){5}[A-Fa-f0-9]{2}",
  COMMONMAC: "(?:[A-Fa-f0-9]{2}:){5}[A-Fa-f0-9]{2}",
  MAC: "(?:%{CISCOMAC}|%{WINDOWSMAC}|%{COMMONMAC})",
  IPV4: "(?:[0-9]{1,3}\\.){3}[0-9]{1,3}",
  IPV6: "(?:[0-9A-Fa-f]{0,4}:){2,7}(?:%{IPV4}|[0-9A-Fa-f]{0,4})(?:%\\w+)?",
  IP: "(?:%{IPV6}|%{IPV4})",
  HOSTNAME: "\\b[0-9A-Za-z][0-9A-Za-z-]*(?:\\.[0-9A-Za-z][0-9A-Za-z-]*)*\\.?",
  IPORHOST: "(?:%{IP}|%{HOSTNAME})",
  HOST: "%{HOSTNAME}",
  HOSTPORT: "%{IPORHOST}:%{POSINT}",
  UNIXPATH: "(?:/[^\\s/]*)+",
  WINPATH: "(?:[A-Za-z]+:|\\\\)(?:\\\\[^\\\\?*]*)+",
  PATH: "(?:%{UNIXPATH}|%{WINPATH})",
  TTY: "/dev/(?:pts|tty[a-z0-9]?)(?:\\w+)?/?[0-9]*",
  URIPROTO: "[A-Za-z][A-Za-z0-9+.-]+",
  URIHOST: "%{IPORHOST}(?::%{POSINT})?",
  URIPATH: "(?:/[A-Za-z0-9$.+!*'(){},~:;=@#%&_-]*)+",
  URIPARAM: "\\?[A-Za-z0-9$.+!*'|(){},~@#%&/=:;_?<>\\[\\]-]*",
  URIPATHPARAM: "%{URIPATH}(?:%{URIPARAM})?",
  URI: "%{URIPROTO}://(?:%{USER}(?::[^@\\s]*)?@)?(?:%{URIHOST})?(?:%{URIPATHPARAM})?",
};

const DATES: Readonly<Record<string, string>> = {
  MONTH:
    "\\b(?:[Jj]an(?:uary)?|[Ff]eb(?:ruary)?|[Mm]ar(?:ch)?|[Aa]pr(?:il)?|[Mm]ay|[Jj]une?|[Jj]uly?|[Aa]ug(?:ust)?|[Ss]ep(?:tember)?|[Oo]ct(?:ober)?|[Nn]ov(?:ember)?|[Dd]ec(?:ember)?)\\b",
  MONTHNUM: "(?:0?[1-9]|1[0-2])",
  MONTHNUM2: "(?:0[1-9]|1[0-2])",
  MONTHDAY: "(?:0[1-9]|[12][0-9]|3[01]|[1-9])",
  DAY: "(?:Mon(?:day)?|Tue(?:sday)?|Wed(?:nesday)?|Thu(?:rsday)?|Fri(?:day)?|Sat(?:urday)?|Sun(?:day)?)",
  YEAR: "(?:[0-9]{4}|[0-9]{2})",
  HOUR: "(?:2[0123]|[01]?[0-9])",
  MINUTE: "[0-5][0-9]",
  SECOND: "(?:[0-5]?[0-9]|60)(?:[:.,][0-9]+)?",
  TIME: "%{HOUR}:%{MINUTE}(?::%{SECOND})?",
  DATE_US: "%{MONTHNUM}[/-]%{MONTHDAY}[/-]%{YEAR}",
  DATE_EU: "%{MONTHDAY}[./-]%{MONTHNUM}[./-]%{YEAR}",
  DATE: "(?:%{DATE_US}|%{DATE_EU})",
  DATESTAMP: "%{DATE}[- ]%{TIME}",
  ISO8601_TIMEZONE: "(?:Z|[+-]%{HOUR}:?%{MINUTE})",
  ISO8601_SECOND: "%{SECOND}",
  TIMESTAMP_ISO8601:
    "%{YEAR}-%{MONTHNUM}-%{MONTHDAY}[T ]%{HOUR}:?%{MINUTE}(?::?%{SECOND})?%{ISO8601_TIMEZONE}?",
  TZ: "[A-Z]{3,4}",
  DATESTAMP_RFC822: "%{DAY} %{MONTH} %{MONTHDAY} %{YEAR} %{TIME} %{TZ}",
  DATESTAMP_RFC2822: "%{DAY}, %{MONTHDAY} %{MONTH} %{YEAR} %{TIME} %{ISO8601_TIMEZONE}",
  DATESTAMP_OTHER: "%{DAY} %{MONTH} %{MONTHDAY} %{TIME} %{TZ} %{YEAR}",
  DATESTAMP_EVENTLOG: "%{YEAR}%{MONTHNUM2}%{MONTHDAY}%{HOUR}%{MINUTE}%{SECOND}",
  SYSLOGTIMESTAMP: "%{MONTH} +%{MONTHDAY} %{TIME}",
  HTTPDATE: "%{MONTHDAY}/%{MONTH}/%{YEAR}:%{TIME} %{INT}",
};

const LOGS: Readonly<Record<string, string>> = {
  PROG: "[!-Z\\\\^-~]+",
  SYSLOGPROG: "%{PROG:program}(?:\\[%{POSINT:pid}\\])?",
  SYSLOGHOST: "%{IPORHOST}",
  SYSLOGFACILITY: "<%{NONNEGINT:facility}\\.%{NONNEGINT:priority}>",
  SYSLOGBASE: "%{SYSLOGTIMESTAMP:timestamp} (?:%{SYSLOGFACILITY} )?%{SYSLOGHOST:logsource} %{SYSLOGPROG}:",
  SYSLOGLINE: "%{SYSLOGBASE} %{GREEDYDATA:message}",
  LOGLEVEL:
    "(?i:alert|trace|debug|notice|info(?:rmation)?|warn(?:ing)?|err(?:or)?|crit(?:ical)?|fatal|severe|emerg(?:ency)?)",
  JAVACLASS: "(?:[a-zA-Z$_][a-zA-Z$_0-9]*\\.)*[a-zA-Z$_][a-zA-Z$_0-9]*",
  JAVAFILE: "[A-Za-z0-9_. -]+",
  JAVAMETHOD: "(?:<(?:cl)?init>|[a-zA-Z$_][a-zA-Z$_0-9]*)",
  JAVALOGMESSAGE: ".*",
  HTTPDUSER: "(?:%{EMAILADDRESS}|%{USER})",
  COMMONAPACHELOG:
    '%{IPORHOST:clientip} %{HTTPDUSER:ident} %{HTTPDUSER:auth} \\[%{HTTPDATE:timestamp}\\] "(?:%{WORD:verb} %{NOTSPACE:request}(?: HTTP/%{NUMBER:httpversion})?|%{DATA:rawrequest})" %{NUMBER:response} (?:%{NUMBER:bytes}|-)',
  COMBINEDAPACHELOG: "%{COMMONAPACHELOG} %{QS:referrer} %{QS:agent}",
};

/** The patterns by name. */
export const GROK_PATTERNS: ReadonlyMap<string, string> = new Map(
  [BASE, NETWORK, DATES, LOGS].flatMap((group) => Object.entries(group)),
);
