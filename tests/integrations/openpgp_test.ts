/** The types of crypto.openpgp, against gpg in both directions. */
import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import { openpgpDecrypt } from "../../src/integrations/crypto/openpgp_decrypt.ts";
import { openpgpEncrypt } from "../../src/integrations/crypto/openpgp_encrypt.ts";
import { runDefinition } from "../support/flows/definition_run.ts";
import { runTasks, storedText } from "../support/flows/run_flow.ts";
import { Harness } from "../support/harness.ts";
import { withTempDir } from "../support/temp_dir.ts";

const GPG = "/usr/bin/gpg";
/** Skipped where gpg is missing. */
const ignore = !await Deno.stat(GPG).then(() => true, () => false);

const PASSPHRASE = "correct horse battery staple";

/** Keys of gpg, and what it does with files. */
class Gpg {
  readonly #home: string;
  #count = 0;

  constructor(home: string) {
    this.#home = home;
  }

  async run(args: readonly string[], input?: Uint8Array): Promise<Uint8Array> {
    const { output, message } = await this.try(args, input);
    if (output) return output;
    throw new Error(message);
  }

  async try(args: readonly string[], input?: Uint8Array) {
    const file = `${this.#home}/in-${this.#count++}`;
    await Deno.writeFile(file, input ?? new Uint8Array());
    const options = [
      "--batch",
      "--yes",
      "--no-tty",
      "--trust-model",
      "always",
      "--pinentry-mode",
      "loopback",
      "--output",
      "-",
    ];
    const { success, stdout, stderr } = await new Deno.Command(GPG, {
      args: [...options, "--passphrase", PASSPHRASE, ...args, ...input ? [file] : []],
      env: { GNUPGHOME: this.#home },
    }).output();
    const message = new TextDecoder().decode(stderr);
    return { output: success ? stdout : undefined, message };
  }

  async text(...args: string[]): Promise<string> {
    return new TextDecoder().decode(await this.run(args));
  }

  /** Makes a key; gives both parts as text. */
  async key(
    user: string,
    kind = "default",
  ): Promise<{ readonly user: string; publicKey: string; privateKey: string }> {
    await this.run(["--quick-generate-key", user, kind, kind === "default" ? "default" : "sign", "never"]);
    const address = /<(.*)>/.exec(user)?.[1] ?? user;
    if (kind !== "default") {
      const listed = await this.text("--with-colons", "--list-keys", address);
      const fingerprint = /^fpr:+([0-9A-F]+):/m.exec(listed)?.[1] ?? "";
      await this.run([
        "--quick-add-key",
        fingerprint,
        kind === "ed25519" ? "cv25519" : kind,
        "encr",
        "never",
      ]);
    }
    return {
      user: address,
      publicKey: await this.text("--export", "-a", address),
      privateKey: await this.text("--export-secret-keys", "-a", address),
    };
  }
}

/** The agent of gpg ends with its folder. */
async function withGpg(work: (gpg: Gpg) => Promise<void>): Promise<void> {
  await withTempDir(async (home) => {
    await Deno.chmod(home, 0o700);
    // Else the agent measures for a second how many rounds take 100 ms.
    await Deno.writeTextFile(`${home}/gpg-agent.conf`, "s2k-count 65536\n");
    try {
      await work(new Gpg(home));
    } finally {
      await new Deno.Command("gpgconf", { args: ["--kill", "all"], env: { GNUPGHOME: home } }).output();
    }
  });
}

const CONTENT = new TextEncoder().encode("ä line\n".repeat(60_000));
const SOURCE = "kestra:///content";

function onlyFile({ bytes }: { readonly bytes: ReadonlyMap<string, Uint8Array> }): Uint8Array<ArrayBuffer> {
  const [file] = bytes.values();
  assert(file);
  return new Uint8Array(file);
}

for (const kind of ["rsa2048", "ed25519"]) {
  Deno.test({
    name: `openpgp: gpg reads what Encrypt writes, and Decrypt what gpg writes, with keys of ${kind}`,
    ignore,
  }, async () => {
    await withGpg(async (gpg) => {
      const ann = await gpg.key("Ann <ann@example.org>", kind);
      const bob = await gpg.key("Bob <bob@example.org>", kind);
      for (const armor of [false, true]) {
        const encrypted = await runDefinition(openpgpEncrypt, {
          ...{ from: SOURCE, key: ann.publicKey + bob.publicKey, recipients: ["ANN@example.org"], armor },
          ...{ signPrivateKey: bob.privateKey, signPassphrase: PASSPHRASE, signUser: "bob@example.org" },
        }, { files: { [SOURCE]: CONTENT } });
        const file = onlyFile(encrypted);
        assertEquals(new TextDecoder().decode(file).startsWith("-----BEGIN PGP MESSAGE-----"), armor);
        const { output, message } = await gpg.try(["--decrypt"], file);
        assertEquals(output, CONTENT);
        assertMatch(message, /Good signature from "Bob <bob@example.org>"/);
        const args = ["--encrypt", "--sign", "-u", bob.user, "-r", ann.user, ...armor ? ["--armor"] : []];
        const decrypted = await runDefinition(openpgpDecrypt, {
          ...{ from: SOURCE, privateKey: ann.privateKey, privateKeyPassphrase: PASSPHRASE },
          ...{ signUsersKey: [ann.publicKey, bob.publicKey], requiredSignerUsers: ["bob@example.org"] },
        }, { files: { [SOURCE]: await gpg.run(args, CONTENT) } });
        assertEquals(onlyFile(decrypted), CONTENT);
      }
    });
  });
}

Deno.test({ name: "openpgp: users are found by address, id, fingerprint and key id", ignore }, async () => {
  await withGpg(async (gpg) => {
    const ann = await gpg.key("Ann <ann@example.org>", "ed25519");
    const listed = await gpg.text("--with-colons", "--list-keys", ann.user);
    const fingerprint = /^fpr:+([0-9A-F]+):/m.exec(listed)?.[1] ?? "";
    for (
      const user of ["Ann <ann@example.org>", "ann@example.org", fingerprint, `0x${fingerprint.slice(-16)}`]
    ) {
      const encrypted = await runDefinition(
        openpgpEncrypt,
        { from: SOURCE, key: ann.publicKey, recipients: [user] },
        { files: { [SOURCE]: "text" } },
      );
      assertEquals(new TextDecoder().decode(await gpg.run(["--decrypt"], onlyFile(encrypted))), "text");
    }
  });
});

Deno.test(
  { name: "openpgp: what is wrong is named, without a part of a key, and nothing is stored", ignore },
  async () => {
    await withGpg(async (gpg) => {
      const ann = await gpg.key("Ann <ann@example.org>", "ed25519");
      const bob = await gpg.key("Bob <bob@example.org>", "ed25519");
      const signed = await gpg.run(["--encrypt", "--sign", "-u", bob.user, "-r", ann.user], CONTENT);
      const unsigned = await gpg.run(["--encrypt", "-r", ann.user], CONTENT);
      const damaged = new Uint8Array(unsigned);
      damaged[damaged.length - 30] = (damaged[damaged.length - 30] ?? 0) ^ 1;
      const unlocked = { from: SOURCE, privateKey: ann.privateKey, privateKeyPassphrase: PASSPHRASE };
      const bobs = { signUsersKey: [bob.publicKey], requiredSignerUsers: [bob.user] };
      const broken = ann.privateKey.replace(/^[A-Za-z0-9+/=]{40,}$/gm, "AAAA");
      const cases:
        readonly (readonly [properties: Record<string, unknown>, file: Uint8Array, error: string])[] = [
          [{ ...unlocked, privateKey: bob.privateKey }, unsigned, "privateKey is not the key of a recipient"],
          [{ ...unlocked, privateKeyPassphrase: "wrong" }, unsigned, "privateKeyPassphrase is wrong"],
          [{ ...unlocked, privateKeyPassphrase: "" }, unsigned, "it needs privateKeyPassphrase"],
          [{ ...unlocked, privateKey: broken }, unsigned, "it is no armored private key of OpenPGP"],
          [{ ...unlocked, privateKey: ann.publicKey }, unsigned, "it is no armored private key of OpenPGP"],
          [{ ...unlocked, ...bobs }, unsigned, `"${bob.user}" has not signed it`],
          [{ ...unlocked, ...bobs, signUsersKey: [] }, signed, "signUsersKey has no key of this user"],
          [{ ...unlocked, ...bobs, signUsersKey: ["nothing"] }, signed, "it is no armored key of OpenPGP"],
          [
            { ...unlocked, signUsersKey: [ann.publicKey], requiredSignerUsers: [ann.user] },
            signed,
            "has not signed it",
          ],
          [unlocked, damaged, "it is damaged, or no file of OpenPGP"],
          [unlocked, unsigned.subarray(0, 500), "it is damaged, or no file of OpenPGP"],
          [unlocked, new TextEncoder().encode("no message"), "it is damaged, or no file of OpenPGP"],
        ];
      for (const [properties, file, error] of cases) {
        const failed = runDefinition(openpgpDecrypt, properties as never, { files: { [SOURCE]: file } });
        checkMessage(await assertRejects(() => failed, Error, error), ann.privateKey);
      }
      const encrypt = { from: SOURCE, key: ann.publicKey, recipients: [ann.user] };
      const sign = { signPrivateKey: bob.privateKey, signPassphrase: PASSPHRASE };
      const refused: readonly (readonly [properties: Record<string, unknown>, error: string])[] = [
        [{ ...encrypt, recipients: ["eve@example.org"] }, 'Cannot encrypt for "eve@example.org"'],
        [{ ...encrypt, recipients: [] }, "Missing recipients"],
        [{ ...encrypt, key: "nothing" }, "Cannot read key"],
        [{ ...encrypt, ...sign, signPassphrase: "wrong" }, "signPassphrase is wrong"],
        [{ ...encrypt, ...sign, signUser: ann.user }, "signPrivateKey has no key of this user"],
        [{ ...encrypt, signUser: bob.user }, "signPrivateKey is missing"],
      ];
      for (const [properties, error] of refused) {
        const failed = runDefinition(openpgpEncrypt, properties as never, { files: { [SOURCE]: CONTENT } });
        checkMessage(await assertRejects(() => failed, Error, error), bob.privateKey);
      }
    });
  },
);

/** No line of a key, and no passphrase. */
function checkMessage({ message }: Error, key: string): void {
  const lines = key.split("\n").filter((line) => line.length > 8 && !line.startsWith("-----"));
  assertEquals([PASSPHRASE, ...lines].filter((secret) => message.includes(secret)), []);
}

Deno.test({ name: "openpgp: a file that unpacks to far too much is refused", ignore }, async () => {
  await withGpg(async (gpg) => {
    const ann = await gpg.key("Ann <ann@example.org>", "ed25519");
    const args = ["--encrypt", "-z", "9", "--compress-algo", "bzip2", "-r", ann.user];
    const bomb = await gpg.run(args, new Uint8Array(66 * 1024 ** 2));
    const decrypt = { from: SOURCE, privateKey: ann.privateKey, privateKeyPassphrase: PASSPHRASE };
    await assertRejects(
      () => runDefinition(openpgpDecrypt, decrypt, { files: { [SOURCE]: bomb } }),
      Error,
      "it unpacks to more than 1100 times its size",
    );
  });
});

Deno.test(
  { name: "openpgp: flows encrypt and decrypt a file, and their logs hold no key", ignore },
  async () => {
    await withGpg(async (gpg) => {
      const ann = await gpg.key("Ann <ann@example.org>", "ed25519");
      await using app = await Harness.start();
      const quoted = (text: string) => JSON.stringify(text);
      const type = "io.kestra.plugin.crypto.openpgp";
      const ended = await runTasks(
        app,
        `- {id: file, type: io.kestra.plugin.core.storage.Write, content: "one", extension: .txt}
- {id: e, type: ${type}.Encrypt, from: "{{ outputs.file.uri }}", key: ${
          quoted(ann.publicKey)
        }, recipients: [${ann.user}]}
- {id: d, type: ${type}.Decrypt, from: "{{ outputs.e.uri }}", privateKey: ${
          quoted(ann.privateKey)
        }, privateKeyPassphrase: ${quoted(PASSPHRASE)}}
`,
      );
      assertEquals([ended.state, ended.errors], ["SUCCESS", []]);
      assertMatch(String(ended.outputs.e?.uri), /\.pgp$/);
      assertEquals(await storedText(app, ended, ended.outputs.d?.uri), "one");
    });
  },
);
