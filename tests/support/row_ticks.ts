/** Whether others run between the rows that a task writes. */

/** Ticks of a timer so far at each row that is written by `work`; a row takes longer than a turn may. */
export async function ticksAtRows(work: () => Promise<unknown>): Promise<number[]> {
  const { stringify } = JSON;
  const seen: number[] = [];
  let ticks = 0;
  JSON.stringify = (value: unknown, ...rest: never[]) => {
    seen.push(ticks);
    for (const end = performance.now() + 11; performance.now() < end;);
    return stringify(value, ...rest);
  };
  const timer = setInterval(() => ticks++, 0);
  try {
    await work();
  } finally {
    clearInterval(timer);
    JSON.stringify = stringify;
  }
  return seen;
}
