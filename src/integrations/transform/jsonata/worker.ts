/** The thread that evaluates JSONata. */
import { type MessagePort, parentPort, workerData } from "node:worker_threads";
import type { FromThread, ThreadOptions, ToThread } from "./messages.ts";

interface Expression {
  evaluate(input: unknown): Promise<unknown>;
}

type Compile = (
  source: string,
  limits: { readonly timeout: number; readonly stack: number; readonly sequence: number },
) => Expression;

async function serve(port: MessagePort, { expression, limits }: ThreadOptions): Promise<void> {
  const send = (message: FromThread) => port.postMessage(message);
  const jsonata = (await import("jsonata")).default as unknown as Compile;
  let compiled: Expression;
  try {
    compiled = jsonata(expression, limits);
  } catch (error) {
    return send({ type: "malformed", message: messageOf(error) });
  }
  port.on("message", async (texts: ToThread) => {
    for (const text of texts) {
      try {
        const value = await compiled.evaluate(JSON.parse(text));
        send({ type: "value", json: JSON.stringify(value) ?? "null" });
      } catch (error) {
        send({ type: "failed", message: messageOf(error) });
      }
    }
  });
  send({ type: "ready" });
}

/** Errors of the package are plain objects. */
function messageOf(error: unknown): string {
  const { message } = error as { readonly message?: unknown };
  return typeof message === "string" ? message : "the evaluation failed";
}

if (parentPort) void serve(parentPort, workerData as ThreadOptions);
