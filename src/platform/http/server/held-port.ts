import { createServer } from 'node:net';

/** A port to listen on. */
export interface HeldPort {
  readonly number: number;
  /** Gives it up to whoever listens on it next. */
  release(): Promise<void>;
}

/** A free port if none is given, held until it is listened on: the system could give it to another process meanwhile. */
export async function holdPort(host: string, given: number): Promise<HeldPort> {
  if (given !== 0) return { number: given, release: async () => undefined };
  const holder = createServer().unref();
  await new Promise<void>((resolve, reject) => holder.once('error', reject).listen(0, host, resolve));
  const { port } = holder.address() as { port: number };
  return { number: port, release: () => new Promise((resolve) => holder.close(() => resolve())) };
}
