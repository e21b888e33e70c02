/** Where triggers may listen. */
import { assertEquals, assertThrows } from "@std/assert";
import { ListenPolicy } from "../../src/machine/listen_policy.ts";

const CASES: readonly (readonly [allowed: readonly string[], host: string, address: string | undefined])[] = [
  [[], "127.0.0.1", "127.0.0.1"],
  [[], "127.1.2.3", "127.1.2.3"],
  [[], "localhost", "127.0.0.1"],
  [[], "::1", "::1"],
  [[], "[::1]", "::1"],
  [[], "0.0.0.0", undefined],
  [[], "::", undefined],
  [[], "0:0:0:0:0:0:0:0", undefined],
  [[], "::ffff:0.0.0.0", undefined],
  [[], "10.0.0.1", undefined],
  [[], "example.org", undefined],
  [[], "", undefined],
  [["loopback", "private"], "0.0.0.0", undefined],
  [["loopback"], "::", undefined],
  [["private"], "10.0.0.1", "10.0.0.1"],
  [["10.0.0.0/8"], "11.0.0.1", undefined],
  [["0.0.0.0"], "0.0.0.0", "0.0.0.0"],
  [["all"], "::", "::"],
  [["all"], "192.0.2.1", "192.0.2.1"],
];

for (const [allowed, host, address] of CASES) {
  Deno.test(`addressFor() ${address ? "allows" : "refuses"} "${host}" with [${allowed}]`, () => {
    const policy = new ListenPolicy(allowed);
    if (address !== undefined) assertEquals(policy.addressFor("main", host), address);
    else assertThrows(() => policy.addressFor("main", host), Error, `Cannot listen on "${host}"`);
  });
}

Deno.test("addressFor() refuses other tenants", () => {
  assertThrows(() => new ListenPolicy(["all"]).addressFor("acme", "::1"), Error, 'the tenant "main"');
});
