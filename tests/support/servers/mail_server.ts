/** A server of SMTP on a free port of this machine, which keeps the mails that it gets. */
import smtpServer from "smtp-server";
import { SELF_SIGNED_CERT, SELF_SIGNED_KEY } from "../processes/self_signed.ts";

/** The name and password that the server accepts. */
export const MAIL_USER = "flows";
/** As {@link MAIL_USER}. */
export const MAIL_PASSWORD = "hidden";

/** A mail as it arrived. */
export interface ReceivedMail {
  readonly recipients: readonly string[];
  /** Headers and body. */
  readonly text: string;
  readonly isSecure: boolean;
  readonly user?: string;
}

interface Session {
  readonly secure: boolean;
  readonly user?: string;
  readonly envelope: { readonly rcptTo: readonly { readonly address: string }[] };
}

/** Runs `work` with a server; `isSecure`: TLS from the beginning. */
export async function withMailServer(
  { isSecure }: { readonly isSecure: boolean },
  work: (port: number, mails: readonly ReceivedMail[]) => Promise<void>,
): Promise<void> {
  const mails: ReceivedMail[] = [];
  const { SMTPServer } = smtpServer as unknown as {
    SMTPServer: new (options: object) => {
      listen(port: number, host: string, done: () => void): void;
      close(done: () => void): void;
      on(event: "error", listener: () => void): void;
      readonly server: { address(): { readonly port: number } };
    };
  };
  const server = new SMTPServer({
    secure: isSecure,
    cert: SELF_SIGNED_CERT,
    key: SELF_SIGNED_KEY,
    authOptional: true,
    onAuth(
      { username, password }: { readonly username: string; readonly password: string },
      _session: unknown,
      done: (error: Error | null, result?: object) => void,
    ) {
      if (username === MAIL_USER && password === MAIL_PASSWORD) return done(null, { user: username });
      done(new Error("Invalid username or password"));
    },
    onRcptTo({ address }: { readonly address: string }, _session: unknown, done: (error?: Error) => void) {
      done(address.startsWith("unknown@") ? new Error("Unknown mailbox") : undefined);
    },
    onData(
      stream: ReadableStream<Uint8Array> & AsyncIterable<Uint8Array>,
      session: Session,
      done: () => void,
    ) {
      void Array.fromAsync(stream).then(async (chunks) => {
        mails.push({
          recipients: session.envelope.rcptTo.map(({ address }) => address),
          text: await new Blob(chunks as BlobPart[]).text(),
          isSecure: session.secure,
          user: session.user,
        });
        done();
      });
    },
  });
  server.on("error", () => {}); // Of clients that leave.
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    await work(server.server.address().port, mails);
  } finally {
    await new Promise<void>((resolve) => server.close(resolve));
  }
}
