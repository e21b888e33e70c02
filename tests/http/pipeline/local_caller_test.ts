import { assertEquals } from "@std/assert";
import { ClientAddresses } from "../../../src/http/pipeline/client_addresses.ts";
import { isLocalCaller } from "../../../src/http/pipeline/local_caller.ts";

interface Case {
  readonly peer?: string;
  readonly url?: string;
  readonly headers?: Record<string, string>;
  readonly baseUrl?: string;
  readonly proxies?: readonly string[];
}

const CASES: readonly (readonly [what: string, isLocal: boolean, given: Case])[] = [
  ["a direct connection", true, {}],
  ["IPv6", true, { peer: "::1", url: "http://[::1]:8080/" }],
  ["a public address that is this machine", true, { baseUrl: "http://localhost:8080" }],
  ["another machine", false, { peer: "192.0.2.1" }],
  ["another machine that names this one", false, { peer: "192.0.2.1", url: "http://127.0.0.1:8080/" }],
  ["a foreign name, as with DNS rebinding", false, { url: "http://rebound.example:8080/" }],
  ["a proxy on this machine that says so", false, { headers: { "x-forwarded-for": "192.0.2.1" } }],
  ["a caller that claims to be local", false, {
    peer: "192.0.2.1",
    headers: { "x-forwarded-for": "127.0.0.1" },
  }],
  ["a trusted proxy without a header", false, { proxies: ["loopback"] }],
  ["a trusted proxy that names this machine", false, {
    proxies: ["loopback"],
    headers: { forwarded: "for=127.0.0.1" },
  }],
  ["a server with a public address", false, { baseUrl: "https://sluice.example.org" }],
];

for (const [what, expected, given] of CASES) {
  Deno.test(`isLocalCaller() is ${expected} for ${what}`, () => {
    const { peer = "127.0.0.1", url = "http://localhost:8080/", headers = {}, baseUrl, proxies } = given;
    const request = new Request(url, { headers });
    const options = { clients: new ClientAddresses(proxies), baseUrl };
    assertEquals(isLocalCaller(request, { remoteAddr: { hostname: peer } }, options), expected);
  });
}
