/** Addresses and ranges. */
import { assertEquals } from "@std/assert";
import {
  isLoopback,
  isWithinRange,
  parseIp,
  parseIpRange,
  unbracketed,
} from "../../../src/base/network/ip.ts";

const ADDRESSES: readonly (readonly [text: string, bytes: string | undefined])[] = [
  ["1.2.3.4", "1.2.3.4"],
  ["255.255.255.255", "255.255.255.255"],
  ["256.1.1.1", undefined],
  ["1.2.3", undefined],
  ["1.2.3.4.5", undefined],
  ["::1", "0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.1"],
  ["::", "0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0"],
  ["[fe80::1%eth0]", "254.128.0.0.0.0.0.0.0.0.0.0.0.0.0.1"],
  ["1:2:3:4:5:6:7:8", "0.1.0.2.0.3.0.4.0.5.0.6.0.7.0.8"],
  ["1:2:3:4:5:6:7", undefined],
  ["1::2::3", undefined],
  ["1:2:3:4::5:6:7:8", undefined],
  ["12345::", undefined],
  ["::ffff:10.0.0.1", "10.0.0.1"],
  ["::ffff:a00:1", "10.0.0.1"],
  ["64:ff9b::10.0.0.1", "10.0.0.1"],
  ["2002:a00:1::5", "10.0.0.1"],
  ["", undefined],
  ["localhost", undefined],
];

for (const [text, bytes] of ADDRESSES) {
  Deno.test(`parseIp() of "${text}"`, () => assertEquals(parseIp(text)?.join("."), bytes));
}

const RANGES: readonly (readonly [range: string, address: string, isWithin: boolean | undefined])[] = [
  ["10.0.0.0/8", "10.255.0.1", true],
  ["10.0.0.0/8", "11.0.0.1", false],
  ["172.16.0.0/12", "172.31.255.255", true],
  ["172.16.0.0/12", "172.32.0.0", false],
  ["0.0.0.0/0", "8.8.8.8", true],
  ["0.0.0.0/0", "::1", false],
  ["1.2.3.4", "1.2.3.4", true],
  ["1.2.3.4", "1.2.3.5", false],
  ["fc00::/7", "fdff::1", true],
  ["fc00::/7", "fe00::1", false],
  ["10.0.0.0/33", "10.0.0.0", undefined],
  ["10.0.0.0/8/8", "10.0.0.0", undefined],
  ["private", "10.0.0.0", undefined],
];

for (const [text, address, isWithin] of RANGES) {
  Deno.test(`isWithinRange() of ${address} and ${text}`, () => {
    const range = parseIpRange(text);
    assertEquals(range && isWithinRange(parseIp(address) ?? [], range), isWithin);
  });
}

Deno.test("isLoopback() is true for loopback names and addresses", () => {
  const cases: [string, boolean][] = [
    ["localhost", true],
    ["127.0.0.1", true],
    ["127.255.255.255", true],
    ["::1", true],
    ["[::1]", true],
    ["0.0.0.0", false],
    ["::", false],
    ["127.0.0.256", false],
    ["127.0.0", false],
    ["127.0.0.1x", false],
    ["127.example.org", false],
    ["localhost.example.org", false],
    ["", false],
  ];
  for (const [host, expected] of cases) assertEquals(isLoopback(host), expected, host);
});

Deno.test("unbracketed() is the host of a URL as programs connect to it", () => {
  const cases = [["[::1]", "::1"], ["[fd00::7]", "fd00::7"], ["::1", "::1"], ["example.org", "example.org"], [
    "",
    "",
  ]];
  for (const [host = "", expected] of cases) assertEquals(unbracketed(host), expected);
});
