/** Log-ins with wrong and right passwords. */
import { LOGIN } from "../target.ts";
import { type Attack, repeat } from "./attack.ts";

const WORKERS = 64;

/** Two of three passwords are wrong, half of these for a user that does not exist. */
export const loginStampede: Attack = {
  name: "logins",
  async run(settings, ready) {
    const { target, signal } = settings;
    let count = 0;
    ready();
    await repeat(settings, WORKERS, async () => {
      const wrong = [LOGIN, `operator:wrong-${count}`, `user-${count}:wrong`];
      const authorization = `Basic ${btoa(wrong[count++ % wrong.length] ?? LOGIN)}`;
      const response = await fetch(`${target.url}${target.readPath}`, { headers: { authorization }, signal });
      await response.body?.cancel();
      return String(response.status);
    });
  },
};
