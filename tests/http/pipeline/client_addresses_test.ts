import { assertEquals } from "@std/assert";
import { ClientAddresses } from "../../../src/http/pipeline/client_addresses.ts";
import { Harness } from "../../support/harness.ts";

const PROXY = "10.0.0.1";
const TRUSTED = ["10.0.0.0/8", "2001:db8:ffff::/48"];

interface Case {
  readonly name: string;
  readonly peer?: string;
  readonly forwarded?: string;
  readonly xForwardedFor?: string;
  readonly expected: string;
}

const CASES: readonly Case[] = [
  { name: "no header", expected: PROXY },
  {
    name: "a peer that is no proxy",
    peer: "192.0.2.1",
    xForwardedFor: "198.51.100.7",
    expected: "192.0.2.1",
  },
  { name: "one hop", xForwardedFor: "198.51.100.7", expected: "198.51.100.7" },
  {
    name: "hops that the caller invented",
    xForwardedFor: "1.1.1.1, 127.0.0.1,198.51.100.7",
    expected: "198.51.100.7",
  },
  {
    name: "several proxies",
    xForwardedFor: "1.1.1.1, 198.51.100.7, 10.0.0.3, 10.0.0.2",
    expected: "198.51.100.7",
  },
  { name: "proxies alone", xForwardedFor: "10.0.0.3, 10.0.0.2", expected: "10.0.0.3" },
  { name: "a port", xForwardedFor: "198.51.100.7:4711", expected: "198.51.100.7" },
  { name: "IPv6", xForwardedFor: "2001:db8::7", expected: "2001:db8::7" },
  { name: "IPv6 with a port", xForwardedFor: "[2001:db8::7]:4711", expected: "2001:db8::7" },
  { name: "a mapped peer", peer: "::ffff:10.0.0.1", xForwardedFor: "198.51.100.7", expected: "198.51.100.7" },
  { name: "no address", xForwardedFor: "198.51.100.7, unknown", expected: PROXY },
  { name: "an empty hop", xForwardedFor: "198.51.100.7,", expected: PROXY },
  { name: "Forwarded", forwarded: "for=198.51.100.7;proto=https;by=10.0.0.1", expected: "198.51.100.7" },
  {
    name: "Forwarded with quotes",
    forwarded: 'proto=https; For="[2001:db8::7]:80"',
    expected: "2001:db8::7",
  },
  {
    name: "Forwarded with hops",
    forwarded: "for=1.1.1.1, for=198.51.100.7,for=10.0.0.2",
    expected: "198.51.100.7",
  },
  {
    name: "Forwarded with a quote that has no end",
    forwarded: 'for="1.1.1.1, for=198.51.100.7',
    expected: "198.51.100.7",
  },
  { name: "Forwarded with a hidden name", forwarded: "for=198.51.100.7, for=_secret", expected: PROXY },
  { name: "Forwarded without for", forwarded: "by=198.51.100.7;host=for=1.1.1.1", expected: PROXY },
  {
    name: "both headers that agree",
    forwarded: "for=198.51.100.7",
    xForwardedFor: "198.51.100.7",
    expected: "198.51.100.7",
  },
  {
    name: "both headers, one of them written by the caller",
    forwarded: "for=1.1.1.1",
    xForwardedFor: "198.51.100.7",
    expected: PROXY,
  },
];

for (const { name, peer = PROXY, forwarded, xForwardedFor, expected } of CASES) {
  Deno.test(`the address of a caller behind a proxy: ${name}`, () => {
    const headers = new Headers();
    if (forwarded !== undefined) headers.set("forwarded", forwarded);
    if (xForwardedFor !== undefined) headers.set("x-forwarded-for", xForwardedFor);
    const request = new Request("http://localhost/", { headers });
    const env = { remoteAddr: { hostname: peer } };
    assertEquals(new ClientAddresses(TRUSTED).of(request, env), expected);
    assertEquals(new ClientAddresses().of(request, env), peer, "without trusted proxies");
  });
}

Deno.test("a client behind a trusted proxy does not use up the log-ins of another one", async () => {
  const credentials = { user: "admin", password: "right" };
  await using app = await Harness.start({ credentials, noAuthExplicit: false, trustedProxies: TRUSTED });
  const statusFor = async (client: string, password: string) => {
    const headers = { "authorization": `Basic ${btoa(`admin:${password}`)}`, "x-forwarded-for": client };
    const request = new Request("http://127.0.0.1:8080/api/v1/flows/search", { headers });
    const response = await app.assembly.fetch(request, { remoteAddr: { hostname: PROXY } });
    await response.body?.cancel();
    return response.status;
  };
  const guesses = Array.from({ length: 11 }, (_, n) => n);
  for (const n of guesses) assertEquals(await statusFor("198.51.100.7", `wrong${n}`), n < 10 ? 401 : 429);
  assertEquals(await statusFor("198.51.100.7", "right"), 429);
  assertEquals(await statusFor("198.51.100.8", "right"), 200);
});
