/** The task types that encrypt files for others. */
import type { TaskDefinition } from "../../model/tasks/task_definition.ts";
import { openpgpDecrypt } from "./openpgp_decrypt.ts";
import { openpgpEncrypt } from "./openpgp_encrypt.ts";

/** Types below `crypto.`. */
export const CRYPTO_TASKS: readonly TaskDefinition[] = Object.freeze([openpgpDecrypt, openpgpEncrypt]);
