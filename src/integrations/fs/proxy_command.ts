/** Connections of SSH by the input and output of a command. Loaded by the first task that uses them. */
import { Duplex } from "node:stream";
import { shellWord } from "../../base/text/shell_word.ts";
import type { JsonObject } from "../../base/json.ts";
import type { MachineTaskContext, ProgramPipe } from "../../model/tasks/machine_task.ts";

/** Starts the command, which ends with the disposal. @throws Error the policy forbids it */
export async function openProxy(context: MachineTaskContext, command: string): Promise<ProgramPipe> {
  return await context.pipeProgram({
    command: ["/bin/sh", "-c", withTokens(command, context.properties)],
    wayOut: "proxyCommand needs a shell",
  });
}

/** `%h`, `%p` and `%r` are the host, the port and the user, as for OpenSSH. */
function withTokens(command: string, { host, port, username }: JsonObject): string {
  const values: ReadonlyMap<string, string> = new Map([
    ["h", String(host)],
    ["p", String(port)],
    ["r", String(username ?? "")],
    ["%", "%"],
  ]);
  return command.trim().replaceAll(/%([hpr%])/g, (_token, name: string) => {
    const value = values.get(name) ?? "";
    return /^[\w.:%@-]+$/.test(value) ? value : shellWord(value);
  });
}

/** The program as the socket of a package; its end destroys the socket with an error that says why. */
export function socketOf(pipe: ProgramPipe): Duplex {
  const socket: Duplex = new Duplex({
    read() {
      pipe.receive().then((bytes) => socket.push(bytes), (error: Error) => socket.destroy(error));
    },
    write(bytes: Uint8Array, _encoding, done) {
      // A failure is the end of the program, which `read` reports.
      pipe.send(bytes).then(() => done(), () => done());
    },
  });
  return socket;
}
