/** Servers of files from Debian, on free ports of this machine: OpenSSH and vsftpd. */
import { freePort } from "../processes/free_port.ts";
import { isInstalled, startServer } from "./server_programs.ts";
import { withTempDir } from "../temp_dir.ts";

const SSHD = "/usr/sbin/sshd";
const VSFTPD = "/usr/sbin/vsftpd";

/** Whether OpenSSH and vsftpd are installed, and may be started here. */
export function hasFileServers(): boolean {
  return Deno.uid() === 0 && [SSHD, VSFTPD].every(isInstalled);
}

/** A server of SSH. */
export interface SshServer {
  readonly port: number;
  /** Of all users. */
  readonly privateKey: string;
  /** `SHA256:…`. */
  readonly fingerprint: string;
  /** A folder that the server may read and change. */
  readonly folder: string;
}

/** Runs `work` with a server of SSH for the users of this machine. */
export async function withSshServer(work: (server: SshServer) => Promise<void>): Promise<void> {
  await withTempDir(async (folder) => {
    for (const name of ["host", "user"]) {
      await run("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-f", `${folder}/${name}`]);
    }
    const port = freePort();
    await Deno.mkdir("/run/sshd", { recursive: true });
    await Deno.writeTextFile(`${folder}/config`, sshConfig(folder, port));
    const fingerprint = (await run("ssh-keygen", ["-l", "-f", `${folder}/host.pub`])).split(" ")[1] ?? "";
    await using _server = await startServer(SSHD, ["-D", "-e", "-f", `${folder}/config`], port);
    const files = `${folder}/files`;
    // Other users than `root` may log in, too.
    await Deno.mkdir(files);
    await Deno.chmod(files, 0o777);
    await Deno.chmod(folder, 0o755);
    const privateKey = await Deno.readTextFile(`${folder}/user`);
    await work({ port, privateKey, fingerprint, folder: files });
  });
}

function sshConfig(folder: string, port: number): string {
  return [
    `Port ${port}`,
    "ListenAddress 127.0.0.1",
    `HostKey ${folder}/host`,
    `AuthorizedKeysFile ${folder}/user.pub`,
    `PidFile ${folder}/pid`,
    "StrictModes no",
    "UsePAM yes", // Accepts users without a password, too.
    "PasswordAuthentication no",
    "PermitRootLogin yes",
    "Subsystem sftp internal-sftp",
  ].join("\n") + "\n";
}

/** A server of FTP with TLS, whose anonymous user may write. */
export interface FtpServer {
  readonly port: number;
  /** What the user sees as `/files`. */
  readonly folder: string;
}

/** Runs `work` with a server of FTP. */
export async function withFtpServer(work: (server: FtpServer) => Promise<void>): Promise<void> {
  await withTempDir(async (folder) => {
    await Deno.mkdir(`${folder}/root/files`, { recursive: true });
    await Deno.chmod(folder, 0o755);
    await Deno.chmod(`${folder}/root/files`, 0o777);
    await Deno.mkdir("/var/run/vsftpd/empty", { recursive: true });
    const subject = ["-subj", "/CN=localhost", "-keyout", `${folder}/key.pem`, "-out", `${folder}/cert.pem`];
    await run("openssl", ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", ...subject]);
    const port = freePort();
    await Deno.writeTextFile(`${folder}/config`, ftpConfig(folder, port));
    await using _server = await startServer(VSFTPD, [`${folder}/config`], port);
    await work({ port, folder: `${folder}/root/files` });
  });
}

function ftpConfig(folder: string, port: number): string {
  return [
    "listen=YES",
    "background=NO",
    "listen_address=127.0.0.1",
    `listen_port=${port}`,
    "anonymous_enable=YES",
    "local_enable=NO",
    "write_enable=YES",
    ...["upload", "mkdir_write", "other_write"].map((name) => `anon_${name}_enable=YES`),
    "anon_umask=022",
    `anon_root=${folder}/root`,
    "no_anon_password=YES",
    "seccomp_sandbox=NO",
    "ssl_enable=YES",
    "allow_anon_ssl=YES",
    "force_local_data_ssl=NO",
    "force_local_logins_ssl=NO",
    "require_ssl_reuse=NO",
    `rsa_cert_file=${folder}/cert.pem`,
    `rsa_private_key_file=${folder}/key.pem`,
  ].join("\n") + "\n";
}

async function run(program: string, args: string[]): Promise<string> {
  const { success, stdout, stderr } = await new Deno.Command(program, { args }).output();
  if (!success) throw new Error(`${program}: ${new TextDecoder().decode(stderr)}`);
  return new TextDecoder().decode(stdout).trim();
}
