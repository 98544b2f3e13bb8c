const armed = new Map<string, () => void>();

/** Marks a durable step by name, for tests. Unless a test has armed that name, it only costs one comparison. */
export function fault(name: string): void {
  if (armed.size !== 0) armed.get(name)?.();
}

/**
 * Makes `fault(name)` run the action from now on; returns a function to disarm it. An action that throws fails the
 * step.
 */
export function armFault(name: string, action: () => void): () => void {
  armed.set(name, action);
  return () => {
    if (armed.get(name) === action) armed.delete(name);
  };
}

// SIGKILL rather than exit: a power failure runs no handlers and flushes no buffers.
function killAt(point: string): void {
  const [name = '', nth = '1'] = point.split(':');
  let left = Number(nth);
  armFault(name, () => {
    left -= 1;
    if (left === 0) process.kill(process.pid, 'SIGKILL');
  });
}

// For tests with child processes: `HEARTH_FAULT=queue.leased` kills at the first such step, `queue.leased:3` at the
// third.
if (process.env.HEARTH_FAULT) killAt(process.env.HEARTH_FAULT);
