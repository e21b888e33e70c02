/** Names of groups of workers. */

const WORKER_GROUP = /^[a-zA-Z0-9][a-zA-Z0-9._-]{0,62}$/;

/** Completes the sentence "a group must be …". */
export const WORKER_GROUP_RULE = '1 to 63 letters, digits, ".", "_" and "-", the first a letter or a digit';

/** Whether a text can name a group of workers. */
export function isWorkerGroup(text: string): boolean {
  return WORKER_GROUP.test(text);
}
