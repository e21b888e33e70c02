/** Looks at everything else that was acknowledged: KV pairs, files, flows, secrets, tokens. */
import { forEachOf, readJson } from "../client.ts";
import { NAMESPACE } from "../flows/crash_flow.ts";
import { updatedSource } from "../flows/flows.ts";
import { contentOf, type Register, type Version } from "./ledger.ts";
import type { VerifyDeps } from "./verify_executions.ts";

const WIDTH = 8;
/** Each costs a hash. */
const MAX_TOKENS = 100;
const BELOW = `/main/namespaces/${NAMESPACE}`;

/** Checks all of it; what was written without an answer is settled by what is found. */
export async function verifyStored(deps: VerifyDeps): Promise<void> {
  await verifyRegisters(deps, "kv", readPair);
  await verifyRegisters(deps, "file", readFile);
  await forEachOf(deps.ledger.registersOf("flow"), WIDTH, (register) => verifyFlow(deps, register));
  await verifySecrets(deps);
  await verifyTokens(deps);
}

type Read = (deps: VerifyDeps, name: string) => Promise<string | undefined>;

async function verifyRegisters(deps: VerifyDeps, kind: "kv" | "file", read: Read): Promise<void> {
  await forEachOf(deps.ledger.registersOf(kind), WIDTH, async (register) => {
    const content = await read(deps, register.name);
    settle(deps, register, content, (version) => contentOf(register.name, version));
  });
}

/** Finds out which of the possible versions is stored. */
function settle(
  { findings }: VerifyDeps,
  register: Register,
  content: string | undefined,
  textOf: (version: Version) => string,
): Version | undefined {
  const { name, acknowledged, possible } = register;
  if (content === undefined) {
    if (acknowledged) findings.add("lost", name, "it is not there");
    register.unanswered = [];
    return undefined;
  }
  const found = possible.find((version) => textOf(version) === content);
  if (!found) {
    const wanted = possible.map(({ n, size }) => `${n} (${size})`).join(", ");
    findings.add(
      "lost",
      name,
      `it holds ${content.length} characters "${content.slice(0, 60)}", not ${wanted}`,
    );
    return undefined;
  }
  register.settle(found);
  return found;
}

async function readPair({ client }: VerifyDeps, name: string): Promise<string | undefined> {
  const outcome = await client.send("GET", `${BELOW}/kv/${name}`);
  return outcome.type === "acknowledged" ? (readJson(outcome.body) as { value: string }).value : undefined;
}

async function readFile({ client }: VerifyDeps, name: string): Promise<string | undefined> {
  const outcome = await client.send("GET", `${BELOW}/files?path=/${name}.txt`);
  return outcome.type === "acknowledged" ? new TextDecoder().decode(outcome.body) : undefined;
}

interface SeenFlow {
  readonly revision: number;
  readonly source: string;
}

async function verifyFlow(deps: VerifyDeps, register: Register): Promise<void> {
  const { findings } = deps;
  const { name, acknowledged } = register;
  const flow = await readFlow(deps, name, "");
  const found = settle(deps, register, flow?.source, (version) => updatedSource(name, version.n));
  if (!found || !flow) return;
  // Unknown where the kill cut off the body of the response.
  const isKnown = acknowledged?.revision !== undefined;
  const least = acknowledged?.revision ?? 0;
  const isRight = found === acknowledged && isKnown ? flow.revision === least : flow.revision > least;
  if (!isRight) findings.add("illegal", name, `its revision is ${flow.revision}, acknowledged was ${least}`);
  found.revision = flow.revision;
  if (!isKnown || found === acknowledged) return;
  const earlier = await readFlow(deps, name, `&revision=${least}`);
  if (earlier?.source !== updatedSource(name, acknowledged.n)) {
    findings.add("lost", `${name} revision ${least}`, "its source is not the acknowledged one");
  }
}

async function readFlow({ client }: VerifyDeps, name: string, query: string): Promise<SeenFlow | undefined> {
  const outcome = await client.send("GET", `/main/flows/${NAMESPACE}/${name}?source=true${query}`);
  return outcome.type === "acknowledged" ? readJson(outcome.body) as SeenFlow : undefined;
}

async function verifySecrets({ client, ledger, findings }: VerifyDeps): Promise<void> {
  const { results } = await client.json<{ results: { key: string }[] }>("GET", `${BELOW}/secrets?size=1000`);
  const names = new Set(results.map(({ key }) => key));
  for (const register of ledger.registersOf("secret")) {
    if (register.acknowledged && !names.has(register.name)) {
      findings.add("lost", register.name, "it is not listed");
    }
  }
}

/** The newest tokens: the older ones were looked at before. */
async function verifyTokens({ client, ledger, findings }: VerifyDeps): Promise<void> {
  await forEachOf(ledger.tokens.slice(-MAX_TOKENS), WIDTH, async (secret) => {
    const headers = { authorization: `Bearer ${secret}` };
    const outcome = await client.send("GET", "/main/executions/search?size=1", { headers });
    if (outcome.type !== "acknowledged") {
      findings.add("lost", secret.slice(0, 12), `the token is not taken: ${JSON.stringify(outcome)}`);
    }
  });
}
