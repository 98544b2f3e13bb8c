import { createServer } from 'node:net';

/** A reserved port. */
export interface ReservedPort {
  readonly number: number;
  /** Releases the port for the server that listens on it next. */
  release(): Promise<void>;
}

/**
 * Reserves the given port, or a free one, until it is listened on: the system could assign it to another process
 * meanwhile.
 */
export async function reservePort(host: string, given: number): Promise<ReservedPort> {
  if (given !== 0) return { number: given, release: async () => undefined };
  const holder = createServer().unref();
  await new Promise<void>((resolve, reject) => holder.once('error', reject).listen(0, host, resolve));
  const { port } = holder.address() as { port: number };
  return { number: port, release: () => new Promise((resolve) => holder.close(() => resolve())) };
}
