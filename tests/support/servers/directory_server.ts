/** A server of LDAP from Debian (OpenLDAP) on free ports of this machine. */
import { startServer } from "./server_programs.ts";
import { freePort } from "../processes/free_port.ts";
import { SELF_SIGNED_CERT, SELF_SIGNED_KEY } from "../processes/self_signed.ts";
import { withTempDir } from "../temp_dir.ts";

const SLAPD = "/usr/sbin/slapd";
const SCHEMAS = "/etc/ldap/schema";

/** Whether OpenLDAP is installed. */
export function hasDirectoryServer(): boolean {
  try {
    return Deno.statSync(SLAPD).isFile && Deno.statSync(SCHEMAS).isDirectory;
  } catch {
    return false;
  }
}

/** An empty directory `dc=example,dc=com`. */
export interface DirectoryServer {
  readonly port: number;
  /** With TLS and a certificate that no authority has signed. */
  readonly tlsPort: number;
  readonly userDn: string;
  readonly password: string;
}

const USER = "cn=admin,dc=example,dc=com";
const PASSWORD = "s3cret";

/** Runs `work` with a server. */
export async function withDirectoryServer(work: (server: DirectoryServer) => Promise<void>): Promise<void> {
  await withTempDir(async (folder) => {
    await Deno.mkdir(`${folder}/data`);
    await Deno.writeTextFile(`${folder}/key.pem`, SELF_SIGNED_KEY);
    await Deno.writeTextFile(`${folder}/cert.pem`, SELF_SIGNED_CERT);
    await Deno.writeTextFile(`${folder}/config`, configOf(folder));
    const port = freePort(), tlsPort = freePort();
    const urls = `ldap://127.0.0.1:${port}/ ldaps://127.0.0.1:${tlsPort}/`;
    await using _server = await startServer(SLAPD, ["-d", "0", "-h", urls, "-f", `${folder}/config`], port);
    await work({ port, tlsPort, userDn: USER, password: PASSWORD });
  });
}

function configOf(folder: string): string {
  return [
    ...["core", "cosine", "inetorgperson"].map((name) => `include ${SCHEMAS}/${name}.schema`),
    `pidfile ${folder}/pid`,
    "modulepath /usr/lib/ldap",
    "moduleload back_mdb",
    `TLSCertificateFile ${folder}/cert.pem`,
    `TLSCertificateKeyFile ${folder}/key.pem`,
    // More than a page of a search.
    "sizelimit size.soft=5 size.hard=5 size.prtotal=unlimited",
    "database mdb",
    "suffix dc=example,dc=com",
    `rootdn ${USER}`,
    `rootpw ${PASSWORD}`,
    `directory ${folder}/data`,
  ].join("\n") + "\n";
}
