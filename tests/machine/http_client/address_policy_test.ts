import { assertEquals, assertMatch, assertRejects } from "@std/assert";
import { AddressPolicy, type AddressRules } from "../../../src/machine/http_client/address_policy.ts";
import { HttpClient } from "../../../src/machine/http_client/http_client.ts";
import { readHttpOptions } from "../../../src/model/http/http_options.ts";
import { HttpError, type HttpRequest } from "../../../src/model/ports/http.ts";
import { FakeClock } from "../../support/fakes/fake_clock.ts";
import { Harness } from "../../support/harness.ts";
import { answer, MisbehavingServer } from "../../support/servers/misbehaving_server.ts";
import { json } from "../../support/flows/request_bodies.ts";

const METADATA = [
  "169.254.169.254",
  "::ffff:169.254.169.254",
  "169.254.170.2",
  "fd00:ec2::254",
  "fd00:ec2::23",
  "fd20:ce::254",
  "168.63.129.16",
  "192.0.0.192",
  "100.100.100.200",
];
const LOOPBACK = ["127.0.0.1", "127.9.9.9", "0.0.0.0", "::1", "::", "::ffff:127.0.0.1", "64:ff9b::7f00:1"];
const PRIVATE = [
  "10.0.0.1",
  "172.16.0.1",
  "192.168.1.1",
  "100.64.0.1",
  "fd12::1",
  "64:ff9b:1::a00:1",
  "fec0::1",
];
const PUBLIC = ["192.0.2.1", "8.8.8.8", "2001:db8::1", "168.63.129.17"];

interface Case {
  readonly name: string;
  readonly rules?: AddressRules;
  readonly isShared: boolean;
  readonly allowed: readonly string[];
  readonly denied: readonly string[];
}

const CASES: readonly Case[] = [
  {
    name: "a server of one person reaches its machine, but no metadata service",
    isShared: false,
    allowed: [...LOOPBACK, ...PRIVATE, ...PUBLIC],
    denied: [...METADATA, "169.254.1.1", "fe80::1", "no address"],
  },
  {
    name: "a server with a login or several tenants does not reach its machine and network",
    isShared: true,
    allowed: PUBLIC,
    denied: [...METADATA, ...LOOPBACK, ...PRIVATE, "169.254.1.1"],
  },
  {
    name: "an exception opens what it names",
    rules: { allow: ["10.0.0.0/8", "loopback"] },
    isShared: true,
    allowed: [...LOOPBACK, "10.0.0.1", ...PUBLIC],
    denied: [...METADATA, "192.168.1.1", "fd12::1"],
  },
  {
    name: "no range opens a metadata service",
    rules: { allow: ["all", "link-local", "private", "169.254.0.0/16", "0.0.0.0/0"] },
    isShared: true,
    allowed: [...LOOPBACK, ...PRIVATE, ...PUBLIC, "169.254.1.1"],
    denied: METADATA,
  },
  {
    name: "the name or the very address opens a metadata service",
    rules: { allow: ["metadata"] },
    isShared: true,
    allowed: METADATA,
    denied: LOOPBACK,
  },
  {
    name: "one address opens one metadata service",
    rules: { allow: ["169.254.169.254"] },
    isShared: false,
    allowed: ["169.254.169.254"],
    denied: METADATA.slice(2),
  },
  {
    name: "a denied range is denied on any server",
    rules: { deny: ["192.0.2.0/24"] },
    isShared: false,
    allowed: ["8.8.8.8"],
    denied: ["192.0.2.1"],
  },
];

for (const { name, rules = {}, isShared, allowed, denied } of CASES) {
  Deno.test(`requests of flows: ${name}`, () => {
    const policy = new AddressPolicy(rules, () => isShared);
    assertEquals(allowed.filter((address) => policy.refusal(address) !== undefined), [], "must be allowed");
    assertEquals(denied.filter((address) => policy.refusal(address) === undefined), [], "must be denied");
  });
}

const LOGIN = { authorization: `Basic ${btoa("anna:right")}` };

/** The log of an execution that requests a URL. */
async function logOfRequest(app: Harness, url: string): Promise<string> {
  const id = `r${url.replace(/\W/g, "-").slice(0, 60)}`;
  const source = `id: ${id}\nnamespace: demo\ntasks: [{id: get, type: core.http.Request, uri: "${url}"}]`;
  const headers = { ...LOGIN, "content-type": "application/x-yaml" };
  await app.json("POST", "/flows", { body: source, headers });
  const started = await app.json("POST", `/executions/demo/${id}?wait=true`, { headers: LOGIN });
  const { id: executionId, state } = started as { id: string; state: { current: string } };
  const logs = await app.json("GET", `/logs/${executionId}`, { headers: LOGIN }) as { message: string }[];
  return [state.current, ...logs.map(({ message }) => message)].join("\n");
}

Deno.test("a flow of a server with a login does not reach the machine unless --http-allow says so", async () => {
  await using server = new MisbehavingServer(() => answer(200, "here"));
  const options = { credentials: { user: "anna", password: "right" }, noAuthExplicit: false };
  await using app = await Harness.start(options);
  for (
    const url of [server.url, `http://localhost:${server.port}`, `http://[::ffff:127.0.0.1]:${server.port}`]
  ) {
    const log = await logOfRequest(app, url);
    assertMatch(log, /FAILED[^]*may not be reached from here: it is internal[^]*--http-allow/);
  }
  assertEquals(server.requests.length, 0);
  await using allowed = await Harness.start({ ...options, httpAddresses: { allow: ["loopback"] } });
  assertMatch(await logOfRequest(allowed, server.url), /^SUCCESS/);
  assertEquals(server.requests.length, 1);
});

Deno.test("a second tenant, while it exists, keeps flows off the machine", async () => {
  await using server = new MisbehavingServer(() => answer(200, "here"));
  await using app = await Harness.start();
  assertMatch(await logOfRequest(app, server.url), /^SUCCESS/);
  await app.json("POST", "/api/v1/tenants", json({ id: "acme", name: "Acme" }));
  assertMatch(await logOfRequest(app, `${server.url}/second`), /FAILED[^]*several tenants/);
  await app.json("DELETE", "/api/v1/tenants/acme");
  assertMatch(await logOfRequest(app, `${server.url}/third`), /^SUCCESS/);
  assertEquals(server.requests.length, 2);
});

Deno.test("an address is checked after its name is resolved, before a connection is made", async () => {
  await using server = new MisbehavingServer(() => answer(200, "here"));
  const names = new Map([
    ["inside.test", ["127.0.0.1"]],
    ["cloud.test", ["fd20:ce::254", "168.63.129.16"]],
    ["mixed.test", ["fd00:ec2::23", "10.0.0.1", "127.0.0.1"]],
  ]);
  const client = new HttpClient({
    clock: new FakeClock(),
    random: () => 0.5,
    userAgent: "sluice/test",
    isShared: () => true,
    resolve: (host) => Promise.resolve(names.get(host) ?? []),
  });
  for (const [host, addresses] of names) {
    const request = httpRequest(`http://${host}:${server.port}/`);
    const error = await assertRejects(() => client.send(request), HttpError, "may not be reached from here");
    assertMatch(error.message, new RegExp(`"${addresses[0]}" of "${host}"`));
  }
  assertEquals(server.requests.length, 0);
});

function httpRequest(uri: string): HttpRequest {
  return { method: "GET", uri, headers: [], options: readHttpOptions({}) };
}

/** Addresses of a name in their order, and the one that a client of another protocol is given. */
const CONNECT_ADDRESSES: readonly (readonly [addresses: readonly string[], expected: string])[] = [
  [["192.0.2.1"], "192.0.2.1"],
  [["127.0.0.2", "127.0.0.1"], "127.0.0.1"],
  [["10.0.0.1", "127.0.0.1"], "127.0.0.1"],
];

for (const [addresses, expected] of CONNECT_ADDRESSES) {
  Deno.test(`HttpClient.addressOf() of ${addresses.join(", ")} is ${expected}`, async () => {
    await using server = new MisbehavingServer(() => {});
    const client = new HttpClient({
      clock: new FakeClock(),
      random: () => 0.5,
      userAgent: "sluice/test",
      addresses: { deny: ["10.0.0.0/8"] },
      resolve: () => Promise.resolve(addresses),
    });
    assertEquals(await client.addressOf({ host: "name.test", port: server.port }), expected);
  });
}

Deno.test("HttpClient.addressOf() names the host that has no address, or none that is allowed", async () => {
  const client = (found: readonly string[]) =>
    new HttpClient({
      clock: new FakeClock(),
      random: () => 0.5,
      userAgent: "sluice/test",
      resolve: () => Promise.resolve(found),
    });
  const target = { host: "name.test", port: 1 };
  await assertRejects(() => client([]).addressOf(target), HttpError, 'the name "name.test" has no address');
  await assertRejects(() => client(["169.254.169.254"]).addressOf(target), HttpError, "may not be reached");
});
