/**
 * Lets Deno send a response by one system call. It does so if head and body fit into the buffer of the connection, else it
 * needs two, which costs 7 to 9 µs of the main thread. The buffer has 512 bytes, fewer than the response to a start. It grows
 * with the longest head, and shrinks after a streamed body.
 */

/** A client that sends one request does not get the padding. */
const FIRST_PADDED = 2;
/** Requests of a connection after which it is padded again, since a body may have been streamed meanwhile. */
const PADDED_EVERY = 256;
/** Makes room for responses of 2 KB. */
const PADDING = "0".repeat(2_000);

/** Whether the response to this request of a connection, counted from 1, is to be padded. */
export function isPadded(requestNumber: number): boolean {
  return requestNumber % PADDED_EVERY === FIRST_PADDED;
}

/** The response with a long header, which has no meaning. */
export async function padded(responding: Response | Promise<Response>): Promise<Response> {
  const response = await responding;
  try {
    response.headers.set("x-padding", PADDING);
  } catch {
    // The headers of a response of another server cannot be changed.
  }
  return response;
}
