/** A server of IMAP and POP3 on free ports of this machine: dovecot of Debian, with one mailbox. */
import { freePort } from "../processes/free_port.ts";
import { SELF_SIGNED_CERT, SELF_SIGNED_KEY } from "../processes/self_signed.ts";
import { withTempDir } from "../temp_dir.ts";
import { isInstalled, startServer } from "./server_programs.ts";

const PROGRAM = "/usr/sbin/dovecot";
/** Debian has a package for each protocol. */
const SERVICES = ["/usr/lib/dovecot/imap", "/usr/lib/dovecot/pop3"];
/** The user `mail` of Debian: dovecot reads no mails as root. */
const MAIL_ID = 8;

/** Whether the server is installed. */
export const HAS_DOVECOT = [PROGRAM, ...SERVICES].every(isInstalled);

/** The password of all users. */
export const MAILBOX_PASSWORD = "hidden2";

/** A running server. */
export interface MailboxServer {
  /** Without TLS. */
  readonly imapPort: number;
  /** With TLS from the beginning. */
  readonly imapsPort: number;
  readonly pop3Port: number;
  /** Puts a mail into the mailbox; its name orders mails of one second. */
  deliver(name: string, source: string): Promise<void>;
}

/** Runs `work` with a server. */
export async function withMailboxServer(work: (server: MailboxServer) => Promise<void>): Promise<void> {
  await withTempDir(async (folder) => {
    const ids = Deno.uid() === 0 ? [MAIL_ID, MAIL_ID] as const : [Deno.uid() ?? 0, Deno.gid() ?? 0] as const;
    const ports = { imapPort: freePort(), imapsPort: freePort(), pop3Port: freePort() };
    // Its processes for logins have a user of their own.
    await Deno.chmod(folder, 0o755);
    const maildir = `${folder}/mail`;
    for (const path of [maildir, `${maildir}/new`, `${maildir}/tmp`, `${maildir}/cur`]) {
      await Deno.mkdir(path);
      await Deno.chown(path, ...ids);
    }
    await Deno.writeTextFile(`${folder}/cert.pem`, SELF_SIGNED_CERT);
    await Deno.writeTextFile(`${folder}/key.pem`, SELF_SIGNED_KEY);
    await Deno.writeTextFile(`${folder}/dovecot.conf`, configuration(folder, ids, ports));
    await using _server = await startServer(PROGRAM, ["-F", "-c", `${folder}/dovecot.conf`], ports.imapsPort);
    await work({
      ...ports,
      async deliver(name, source) {
        const path = `${maildir}/tmp/${name}`;
        await Deno.writeTextFile(path, source.replaceAll("\n", "\r\n"));
        await Deno.chown(path, ...ids);
        await Deno.rename(path, `${maildir}/new/${name}`);
      },
    });
  });
}

function configuration(
  folder: string,
  [uid, gid]: readonly [number, number],
  { imapPort, imapsPort, pop3Port }: Omit<MailboxServer, "deliver">,
): string {
  const listener = (name: string, port: number, further = "") =>
    `inet_listener ${name} {\n  address = 127.0.0.1\n  port = ${port}\n  ${further}\n}\n`;
  return `
base_dir = ${folder}/base
state_dir = ${folder}/base
log_path = ${folder}/log
protocols = imap pop3
ssl = yes
ssl_cert = <${folder}/cert.pem
ssl_key = <${folder}/key.pem
disable_plaintext_auth = no
auth_failure_delay = 0
mail_location = maildir:${folder}/mail
first_valid_uid = 1
passdb {
  driver = static
  args = password=${MAILBOX_PASSWORD}
}
userdb {
  driver = static
  args = uid=${uid} gid=${gid} home=${folder}
}
service imap-login {
  chroot =
  ${listener("imap", imapPort)}
  ${listener("imaps", imapsPort, "ssl = yes")}
}
service pop3-login {
  chroot =
  ${listener("pop3", pop3Port)}
  ${listener("pop3s", 0)}
}
service anvil {
  chroot =
  # Failed logins are not delayed.
  unix_listener anvil-auth-penalty {
    mode = 0
  }
}
`;
}
