/** `fs.ssh.Command`. */
import { isJsonObject, type JsonObject, ownProperty, setOwnProperty, tryParseJson } from "../../base/json.ts";
import { dynamicChoice, dynamicProperty, dynamicText } from "../../model/flows/schema.ts";
import { defineMachineTask } from "../../model/tasks/machine_task.ts";
import { optionalText } from "../../model/tasks/task_definition.ts";
import { SSH_PROPERTIES } from "./connection.ts";

/** The commands are one script of the shell of the user; it stops at the first one that fails. */
export const sshCommand = defineMachineTask({
  type: "fs.ssh.Command",
  title: "Run commands on a server of SSH",
  description:
    'Runs commands on another machine by SSH. Their output is logged, their input is empty. A kill ends them where the server passes signals on, as OpenSSH does for users other than `root`. A line `::{"outputs": {…}}::` sets `vars`.',
  properties: {
    ...SSH_PROPERTIES,
    authMethod: dynamicChoice(["PASSWORD", "PUBLIC_KEY"], "PASSWORD", "How the user is authenticated."),
    privateKey: dynamicText("Private key, PEM or OpenSSH; keep it as a secret."),
    privateKeyPassphrase: dynamicText("Passphrase of the key; keep it as a secret."),
    proxyCommand: dynamicText(
      "Command of this machine whose input and output are the connection, such as `ssh -W %h:%p gate`; `%h`, `%p` and `%r` are `host`, `port` and `username`. It needs the right to run processes.",
    ),
    commands: dynamicProperty("list", "Commands.", { required: true, items: dynamicText("A command.") }),
    env: dynamicProperty("map", "Variables of the commands.", {
      items: dynamicText("Value of the variable."),
    }),
    strictHostKeyChecking: dynamicChoice(
      ["no", "yes"],
      "no",
      "With `yes` the server is refused unless `hostKeyFingerprint` is given.",
    ),
  },
  outputs: {
    exitCode: { type: "integer", description: "Exit code of the last command." },
    stdOutLineCount: { type: "integer", description: "Lines of output." },
    stdErrLineCount: { type: "integer", description: "Lines of errors." },
    vars: { type: "map", description: "What the commands set." },
  },
  examples: [{
    title: "Restart a service with a key",
    yaml: `id: restart
type: io.svc.plugin.fs.ssh.Command
host: app.example.com
username: deploy
authMethod: PUBLIC_KEY
privateKey: "{{ secret('SSH_KEY') }}"
commands:
  - systemctl restart app
  - systemctl is-active app`,
  }],
  async run(context) {
    const { strictHostKeyChecking, hostKeyFingerprint } = context.properties;
    if (strictHostKeyChecking === "yes" && optionalText(hostKeyFingerprint) === undefined) {
      throw new Error("Missing hostKeyFingerprint: strictHostKeyChecking is yes");
    }
    const vars: JsonObject = {};
    const counts = { output: 0, errors: 0 };
    const { runCommands } = await import("./ssh_session.ts");
    const exitCode = await runCommands(context, (line, isError) => {
      const outputs = isError ? undefined : outputsOf(line);
      for (const [name, value] of Object.entries(outputs ?? {})) setOwnProperty(vars, name, value);
      if (isError) counts.errors++;
      else counts.output++;
      if (outputs !== undefined) return undefined;
      context.log(isError ? "WARN" : "INFO", line);
      return context.logged();
    });
    if (exitCode !== 0) throw new Error(`Command failed with exit code ${exitCode}`);
    return { exitCode, stdOutLineCount: counts.output, stdErrLineCount: counts.errors, vars };
  },
});

/** The outputs of a control line, as those of scripts; `undefined` for other lines. */
function outputsOf(line: string): JsonObject | undefined {
  const [, text] = /^\s*::(\{.*\})::\s*$/s.exec(line) ?? [];
  const content = text === undefined ? undefined : tryParseJson(text);
  const outputs = content !== undefined && isJsonObject(content)
    ? ownProperty(content, "outputs")
    : undefined;
  return outputs !== undefined && isJsonObject(outputs) ? outputs : undefined;
}
