/** Files that are encrypted by a password. The format of OpenSSL is compared with its program. */
import { assertEquals, assertRejects } from "@std/assert";
import type { JsonObject } from "../../../src/base/json.ts";
import { inTurn } from "../../../src/integrations/key_derivation.ts";
import { fileDecrypt, fileEncrypt } from "../../../src/integrations/compress/encryption.ts";
import { runDefinition } from "../../support/flows/definition_run.ts";

const FROM = "kestra:///demo/file";
const CHEAP = { iterations: 100_000, memory: 1024 };

async function encrypted(text: string, properties: JsonObject): Promise<Uint8Array> {
  const { outputs, bytes } = await runDefinition(
    fileEncrypt,
    { from: FROM, password: "pass", ...CHEAP, ...properties },
    { files: { [FROM]: text } },
  );
  return bytes.get(String(outputs.uri)) ?? new Uint8Array();
}

async function decrypted(file: Uint8Array, properties: JsonObject = {}): Promise<string | undefined> {
  const { outputs, files } = await runDefinition(
    fileDecrypt,
    { from: FROM, password: "pass", iterations: 100_000, ...properties },
    { files: { [FROM]: file } },
  );
  return files.get(String(outputs.uri));
}

for (const keyDerivation of ["PBKDF2_SHA256", "PBKDF2_SHA512", "SCRYPT"]) {
  Deno.test(`FileDecrypt reads what FileEncrypt writes: ${keyDerivation}`, async () => {
    for (const text of ["", "secret\n".repeat(30_000)]) {
      const file = await encrypted(text, { keyDerivation });
      assertEquals(new TextDecoder().decode(file).includes("secret"), false);
      assertEquals(await decrypted(file), text);
    }
  });
}

Deno.test("FileDecrypt reads files of openssl enc -pbkdf2 with few iterations", async () => {
  // printf 'hello\n' | openssl enc -aes-256-cbc -pbkdf2 -md sha256 -iter 10000 -pass pass:pass -base64
  const file = Uint8Array.fromBase64("U2FsdGVkX1+IXLD98PYkx4KSsbQ+Ovuyrt0Gn8w2LnQ=");
  assertEquals(await decrypted(file, { iterations: 10_000 }), "hello\n");
});

const COSTS:
  readonly (readonly [memory: number, parallelism: number, fileRefusal: string, taskRefusal?: string])[] = [
    [8192, 255, "Cannot make the key: scrypt with N = 8192 and p = 255 takes too long"],
    [
      524_288,
      1,
      "Cannot make the key: scrypt with N = 524288 takes too much memory",
      "Invalid memory: it must be a whole number from 2 to 262144",
    ],
  ];
for (const [memory, parallelism, fileRefusal, taskRefusal = fileRefusal] of COSTS) {
  Deno.test(`scrypt with N = ${memory} and p = ${parallelism} is refused, whether the file or the task has them`, async () => {
    const costly = Uint8Array.from(await encrypted("text", { keyDerivation: "SCRYPT" }));
    // The last bytes of the head: N, r and p.
    new DataView(costly.buffer).setUint32(39, memory);
    costly[44] = parallelism;
    await assertRejects(() => decrypted(costly), Error, fileRefusal);
    const task = { keyDerivation: "SCRYPT", memory, parallelism };
    await assertRejects(() => encrypted("text", task), Error, taskRefusal);
  });
}

Deno.test("FileDecrypt reads files of the default costs of scrypt", async () => {
  const file = await encrypted("text", { keyDerivation: "SCRYPT", memory: 65_536 });
  assertEquals(await decrypted(file), "text");
});

for (const keyDerivation of ["PBKDF2_SHA256", "PBKDF2_SHA512", "SCRYPT"]) {
  Deno.test(`a task that must stop while another one derives a key derives none: ${keyDerivation}`, async () => {
    const file = await encrypted("text", { keyDerivation });
    const other = Promise.withResolvers<void>();
    const derived = inTurn("other", new AbortController().signal, () => other.promise);
    const controller = new AbortController();
    const tasks = [
      runDefinition(fileEncrypt, { from: FROM, password: "pass", ...CHEAP, keyDerivation }, {
        files: { [FROM]: "text" },
        signal: controller.signal,
      }),
      runDefinition(fileDecrypt, { from: FROM, password: "pass" }, {
        files: { [FROM]: file },
        signal: controller.signal,
      }),
    ];
    controller.abort(new Error("stopped"));
    await Promise.all(tasks.map((task) => assertRejects(() => task, Error, "stopped")));
    other.resolve();
    await derived;
  });
}

Deno.test("a wrong password, a change of the file and an unknown format are refused", async () => {
  const file = await encrypted("text", { keyDerivation: "PBKDF2_SHA512" });
  const changed = file.map((byte, index) => index === 44 ? byte ^ 1 : byte);
  const refusal = "Cannot decrypt the file: the password is wrong, or the file is damaged";
  await assertRejects(() => decrypted(file, { password: "other" }), Error, refusal);
  await assertRejects(() => decrypted(changed), Error, refusal);
  await assertRejects(() => decrypted(new Uint8Array(100)), Error, "it has neither the head of OpenSSL");
  await assertRejects(
    () => decrypted(file.subarray(0, 30)),
    Error,
    "Cannot decrypt the file: it is incomplete",
  );
  const argon2 = file.map((byte, index) => index === 10 ? 3 : byte);
  await assertRejects(() => decrypted(argon2), Error, "Argon2 is not supported");
});
