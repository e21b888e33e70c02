/** The server refuses to start; the message is one line for the operator. */
export class StartRefusal extends Error {
  override readonly name = "StartRefusal";
}
