/** Connection strings and log-ins of MongoDB. */
import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import { type MongoDns, readConnectionString } from "../../../src/integrations/mongodb/connection_string.ts";
import { ScramLogin } from "../../../src/integrations/mongodb/scram.ts";

const DNS: MongoDns = {
  resolveSrv: (name) =>
    name === "_mongodb._tcp.db.example.com"
      ? Promise.resolve([{ name: "a.example.com", port: 27017 }, { name: "b.example.com.", port: 27018 }])
      : name === "_mongodb._tcp.db.example.org"
      ? Promise.resolve([{ name: "a.example.com", port: 1 }])
      : Promise.reject(new Error(`querySrv ENOTFOUND ${name}`)),
  resolveTxt: (name) =>
    name === "db.example.com"
      ? Promise.resolve([["authSource=users&replica", "Set=r"]])
      : Promise.reject(new Error("no")),
};

const REST = {
  authSource: "admin",
  isDirect: false,
  isTls: false,
  isInsecure: false,
  acceptsAnyName: false,
  connectTimeoutMs: 10_000,
  replyTimeoutMs: 300_000,
};

const READ: readonly (readonly [text: string, address: object])[] = [
  ["mongodb://h", { ...REST, hosts: [{ host: "h", port: 27017 }] }],
  [" mongodb://u:p%40%3A@h:1,[::1]:2/shop?tls=true ", {
    ...REST,
    hosts: [{ host: "h", port: 1 }, { host: "::1", port: 2 }],
    username: "u",
    password: "p@:",
    authSource: "shop",
    isTls: true,
  }],
  ["mongodb://u@h/?authSource=x&authMechanism=SCRAM-SHA-1&directConnection=true&connectTimeoutMS=5", {
    ...REST,
    hosts: [{ host: "h", port: 27017 }],
    username: "u",
    password: "",
    authSource: "x",
    authMechanism: "SCRAM-SHA-1",
    isDirect: true,
    connectTimeoutMs: 5,
  }],
  ["mongodb+srv://u:p@db.example.com/?retryWrites=true&w=majority", {
    ...REST,
    hosts: [{ host: "a.example.com", port: 27017 }, { host: "b.example.com", port: 27018 }],
    username: "u",
    password: "p",
    authSource: "users",
    isTls: true,
  }],
  ["mongodb+srv://db.example.com/?tls=false&authSource=own", {
    ...REST,
    hosts: [{ host: "a.example.com", port: 27017 }, { host: "b.example.com", port: 27018 }],
    authSource: "own",
  }],
];

for (const [text, address] of READ) {
  Deno.test(`readConnectionString() reads ${text}`, async () => {
    assertEquals<object>(await readConnectionString(text, DNS), address);
  });
}

const REFUSED: readonly (readonly [text: string, message: string])[] = [
  ["http://h", "Invalid uri: it must be mongodb://"],
  ["mongodb://u:100%@h", "Invalid uri: a % in it must be written as %25"],
  ["mongodb://%2Ftmp%2Fmongodb.sock", "Invalid uri: each host must be host:port"],
  [
    "mongodb+srv://db.example.org",
    'Cannot use the host "a.example.com" of "db.example.org": it is of another domain',
  ],
  ["mongodb+srv://none.example.net", 'Cannot find the hosts of "none.example.net": querySrv ENOTFOUND'],
];

for (const [text, message] of REFUSED) {
  Deno.test(`readConnectionString() refuses ${text}`, async () => {
    await assertRejects(() => readConnectionString(text, DNS), Error, message);
  });
}

Deno.test("ScramLogin has the proofs of RFC 7677, and refuses a server without the password", async () => {
  const user = { username: "user", password: "pencil", mechanism: "SCRAM-SHA-256" } as const;
  const login = new ScramLogin(user, "rOprNGfwEbeRWgbNEkqO");
  assertEquals(login.first, "n,,n=user,r=rOprNGfwEbeRWgbNEkqO");
  const nonce = "rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0";
  assertEquals(
    await login.proof(`r=${nonce},s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096`),
    `c=biws,r=${nonce},p=dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ=`,
  );
  login.verify("v=6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4=");
  assertThrows(() => login.verify("v=AAAA"), Error, "the signature of the server is wrong");
  const attacked = new ScramLogin(user, "abc");
  await assertRejects(() => attacked.proof("r=xyz,s=AAAA,i=4096"), Error, "the nonce of the server is wrong");
  await assertRejects(() => attacked.proof("r=abcd,s=AAAA,i=1"), Error, "the server asks for 1 iterations");
});
