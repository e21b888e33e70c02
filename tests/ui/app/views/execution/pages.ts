/** What stories of the page of an execution have in common. */
import type { Locator, Page } from "../../../../support/browser/browser.ts";
import type { ServerProcess } from "../../../../support/processes/server_process.ts";
import { saveFlow } from "../../flows.ts";

/** An execution that a story looks at. */
export interface Started {
  readonly id: string;
  readonly namespace: string;
  readonly flow: string;
}

/** How it is started. */
interface StartOptions {
  readonly inputs?: Readonly<Record<string, string | File>>;
  /** False: the call does not wait for the end. */
  readonly waits?: boolean;
}

/** Stores the tasks (YAML below `tasks:`, or whole members of a flow) as flow `main` of a namespace, and starts it. */
export async function run(
  server: ServerProcess,
  namespace: string,
  members: string,
  options: StartOptions = {},
): Promise<Started> {
  await saveFlow(server, `id: main\nnamespace: ${namespace}\n${members}`);
  return await start(server, namespace, options);
}

/** Starts the flow `main` of a namespace. */
export async function start(
  server: ServerProcess,
  namespace: string,
  { inputs = {}, waits = true }: StartOptions = {},
): Promise<Started> {
  const body = new FormData();
  for (const [id, value] of Object.entries(inputs)) body.append(id, value);
  const path = `/executions/${namespace}/main${waits ? "?wait=true" : ""}`;
  const { id } = await server.json<{ readonly id: string }>("POST", path, { body });
  return { id, namespace, flow: "main" };
}

/** Opens the page of an execution; `rest` is a tab with its query. */
export async function open(page: Page, { id, namespace, flow }: Started, rest = ""): Promise<void> {
  await page.goto(`/ui/executions/${namespace}/${flow}/${id}${rest}`);
  await page.getByRole("heading", { level: 1, name: flow }).waitFor();
}

/** The state in the head of an execution, once it is that one. */
export function stateOf(page: Page, state: string): Locator {
  return page.locator("h1 .state", { hasText: state });
}

/** Waits until the head shows a state. */
export async function waitForState(page: Page, state: string): Promise<void> {
  await stateOf(page, state).waitFor();
}

/** Chooses an action of the menu. */
export async function choose(page: Page, action: string): Promise<void> {
  await page.getByRole("button", { name: "Actions" }).click();
  await page.getByRole("menuitem", { name: action }).click();
}

/** Presses the button that confirms the open dialog. */
export async function confirm(page: Page, action: string): Promise<void> {
  await page.getByRole("dialog").getByRole("button", { name: action, exact: true }).click();
}

/** Waits until another execution is shown. */
export async function waitForOther(page: Page, { id }: Started): Promise<void> {
  await page.waitForURL((url) => url.pathname.includes("/executions/") && !url.pathname.includes(id));
}
