/** Responses of a server that is about to close its connections. */

/** The response, which says that its connection ends with it: a client that kept it would send its next request while it is closed. */
export async function lastOfConnection(responding: Response | Promise<Response>): Promise<Response> {
  const response = await responding;
  const last = new Response(response.body, response);
  last.headers.set("connection", "close");
  return last;
}
