/** Connections of commands in pods; commands themselves are tested with the type that runs them. */
import { assertEquals, assertMatch, assertRejects } from "@std/assert";
import type { JsonObject } from "../../../src/base/json.ts";
import { Cluster } from "../../../src/integrations/kubernetes/cluster.ts";
import { executeInPod } from "../../../src/integrations/kubernetes/pod_exec.ts";
import { SELF_SIGNED_CERT, SELF_SIGNED_KEY } from "../../support/processes/self_signed.ts";

const COMMAND = {
  path: "/api/v1/namespaces/n/pods/p",
  container: "c",
  command: ["a", "b c"],
  operation: "run it",
};

/** Responds to a command with messages: a channel and a text. */
function server(messages: readonly (readonly [number, string])[]) {
  const urls: string[] = [];
  const options = {
    cert: SELF_SIGNED_CERT,
    key: SELF_SIGNED_KEY,
    hostname: "127.0.0.1",
    port: 0,
    onListen() {},
  };
  const listening = Deno.serve(options, (request) => {
    urls.push(new URL(request.url).search);
    const { socket, response } = Deno.upgradeWebSocket(request, { protocol: "v4.channel.k8s.io" });
    socket.onopen = () => {
      for (const [channel, text] of messages) {
        socket.send(new Uint8Array([channel, ...new TextEncoder().encode(text)]));
      }
      if (messages.every(([channel]) => channel !== 3)) socket.close();
    };
    return response;
  });
  return { urls, port: listening.addr.port, [Symbol.asyncDispose]: () => listening.shutdown() };
}

async function run(port: number, connection: JsonObject): Promise<string> {
  const properties = { connection: { masterUrl: `https://localhost:${port}`, ...connection } };
  const signal = new AbortController().signal;
  const cluster = new Cluster({ properties, signal, http: () => Promise.reject(new Error("unused")) });
  const connectAddress = (_host: string, port: number) => Promise.resolve({ hostname: "127.0.0.1", port });
  return await new Response(await executeInPod({ signal, connectAddress }, cluster, COMMAND)).text();
}

Deno.test("a command is run by a connection that trusts the given authority, or any with trustCerts", async () => {
  await using api = server([[1, "out"], [2, "noise"], [1, "put"], [3, '{"status":"Success"}']]);
  const trusted: readonly JsonObject[] = [{ caCertData: SELF_SIGNED_CERT }, { trustCerts: true }];
  for (const connection of trusted) {
    assertEquals(await run(api.port, connection), "output");
  }
  assertEquals(api.urls[0], "?container=c&command=a&command=b+c&stdout=true&stderr=true");
  const { message } = await assertRejects(() => run(api.port, {}), Error);
  assertMatch(message, /^Cannot run it at "localhost:\d+": .*certificate/i);
});

Deno.test("a command whose connection ends before it fails", async () => {
  await using api = server([[1, "out"]]);
  const { message } = await assertRejects(() => run(api.port, { trustCerts: true }), Error);
  assertEquals(message, "Cannot run it: the connection ended before the command did");
});

Deno.test("a message of a pod that is larger than any of Kubernetes fails the command", async () => {
  await using api = server([[1, "a".repeat(2 * 1024 * 1024)], [3, '{"status":"Success"}']]);
  const { message } = await assertRejects(() => run(api.port, { trustCerts: true }), Error);
  assertMatch(message, /^Cannot run it at "localhost:\d+": Max payload size exceeded$/);
});

Deno.test("a refusal without an end is read up to a limit", async () => {
  const endless = new ReadableStream({
    pull: (controller) => controller.enqueue(new TextEncoder().encode("no".repeat(5_000))),
  });
  const listening = Deno.serve(
    { cert: SELF_SIGNED_CERT, key: SELF_SIGNED_KEY, hostname: "127.0.0.1", port: 0, onListen() {} },
    () => new Response(endless, { status: 403 }),
  );
  const { message } = await assertRejects(() => run(listening.addr.port, { trustCerts: true }), Error);
  assertMatch(message, /^Cannot run it at "localhost:\d+": the response was 403: nono/);
  await listening.shutdown();
});
