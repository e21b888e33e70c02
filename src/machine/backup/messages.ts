/** Messages of the process or thread that copies a database. */

/** From the copy to the server. */
export type FromCopy =
  | { readonly type: "progress"; readonly bytes: number; readonly totalBytes: number }
  | { readonly type: "done" }
  | { readonly type: "failed"; readonly message: string };
