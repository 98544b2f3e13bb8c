/** Too many callers wait already; worth a 503 and another try. */
export class Busy extends Error {
  override readonly name = 'Busy';
}

/** Lets at most `running` pieces of work run at once and `waiting` more wait, first come first served. */
export function createTurns(running: number, waiting: number): <T>(work: () => Promise<T>) => Promise<T> {
  let free = running;
  const queue: (() => void)[] = [];

  const enter = (): Promise<void> | undefined => {
    if (free > 0) {
      free -= 1;
      return undefined;
    }
    if (queue.length >= waiting) throw new Busy('too much of this work is waiting already');
    return new Promise((resolve) => queue.push(resolve));
  };

  // The place goes straight to the one who waited longest; a newcomer cannot slip in between.
  const leave = (): void => {
    const next = queue.shift();
    if (next) next();
    else free += 1;
  };

  return async (work) => {
    await enter();
    try {
      return await work();
    } finally {
      leave();
    }
  };
}
