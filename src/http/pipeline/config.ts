/** What of the configuration concerns the HTTP application. */

/** What the application is told of the server it is part of. */
export interface HttpConfig {
  /** Public address, without slash at the end. */
  readonly baseUrl?: string;
  /** Address and port it listens on. */
  readonly host: string;
  readonly port: number;
  readonly isProtected: boolean;
  /** The operator asked for a server without credentials on an address that others reach. */
  readonly noAuthExplicit?: boolean;
  readonly maxUploadBytes: number;
  readonly version: string;
  /** Which server this is; stays with its data. */
  readonly uuid?: string;
  /** What the program was built from, when that is known. */
  readonly commit?: string;
}
