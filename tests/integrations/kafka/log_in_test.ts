/** The log-in at a broker of Kafka. */
import { assertRejects } from "@std/assert";
import { Buffer } from "node:buffer";
import { produce } from "../../../src/integrations/kafka/produce.ts";
import { runDefinition } from "../../support/flows/definition_run.ts";

const API_VERSIONS = 18, HANDSHAKE = 17, METADATA = 3;
/** After the number of the request: no error, and the versions, or the mechanisms. */
const RESPONSES: ReadonlyMap<number, Buffer> = new Map([
  [API_VERSIONS, Buffer.from([0, 0, 0, 0, 0, 2, 0, METADATA, 0, 0, 0, 1, 0, HANDSHAKE, 0, 0, 0, 0])],
  [HANDSHAKE, Buffer.concat([Buffer.from([0, 0, 0, 0, 0, 1, 0, 5]), Buffer.from("PLAIN")])],
]);

/** Answers what comes before a log-in in the old form, and then nothing. */
async function serve(connection: Deno.Conn): Promise<void> {
  const bytes = new Uint8Array(1_000);
  for (let size = await connection.read(bytes); size !== null; size = await connection.read(bytes)) {
    const request = Buffer.from(bytes.subarray(4, size));
    const response = RESPONSES.get(request.readInt16BE(0));
    if (!response) continue;
    const content = Buffer.concat([request.subarray(4, 8), response]), head = Buffer.alloc(4);
    head.writeInt32BE(content.length);
    await connection.write(Buffer.concat([head, content]));
  }
}

Deno.test("a log-in in the old form ends when the broker does not respond in time", async () => {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const served = listener.accept().then(async (connection) => {
    await serve(connection).catch(() => {});
    connection.close();
  });
  const properties = {
    "bootstrap.servers": `127.0.0.1:${listener.addr.port}`,
    "security.protocol": "SASL_PLAINTEXT",
    "sasl.jaas.config": 'username="a" password="b"',
    "request.timeout.ms": "300",
  };
  const stop = new AbortController(), late = setTimeout(() => stop.abort(), 20_000);
  await assertRejects(
    () => runDefinition(produce, { properties, topic: "t", from: { value: 1 } }, { signal: stop.signal }),
    Error,
    "the broker did not respond to the log-in within 0.3 s",
  );
  clearTimeout(late);
  await served;
});
