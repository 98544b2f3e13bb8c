import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import ssh2, { type Algorithms } from 'ssh2';
import type { Services } from '../../access/services.ts';
import type { GitSessions } from '../transport/public.ts';
import { SshConnection } from './connection.ts';
import { hostKeys } from './host-key.ts';

/** A running SSH server. */
export interface RunningSsh {
  readonly port: number;
  /** Stops accepting connections and closes the open ones after a grace period. */
  close(graceMs?: number): Promise<void>;
}

/** Connection limits, per address and in total. */
export interface SshLimits {
  readonly handshakeMs: number;
  readonly perAddress: number;
  readonly total: number;
}

const defaultLimits: SshLimits = { handshakeMs: 15_000, perAddress: 32, total: 512 };

// The library offers this key exchange but does not support it as a server, so clients preferring it would fail.
const algorithms: Algorithms = { kex: { append: [], prepend: [], remove: ['diffie-hellman-group-exchange-sha256'] } };

/**
 * Serves git over SSH. Sockets are accepted by our own server, which counts them and closes those that do not complete
 * the handshake in time: stalled ones would hold their slot forever.
 */
export async function startSsh(
  services: Services,
  sessions: GitSessions,
  { port, host }: { readonly port: number; readonly host: string },
  limits: SshLimits = defaultLimits,
): Promise<RunningSsh> {
  const sockets = new Map<string, Socket>();
  const addresses = new Map<string, number>();
  const keys = await hostKeys(services.config.data);
  const settings = { hostKeys: keys, algorithms, ident: 'Hearth', keepaliveInterval: 30_000 };
  const protocol = new ssh2.Server(settings, (client, info) => {
    new SshConnection(services, sessions, client, info.ip);
    client.once('ready', () => sockets.get(nameOf(info.ip, info.port))?.emit('authenticated'));
  });
  protocol.on('error', (error: Error) => services.log.error({ err: error }, 'the SSH server failed'));

  // Without delay, because the handshake consists of a dozen small messages, each waiting for an acknowledgement.
  const server = createServer({ noDelay: true }, (socket) => {
    const address = socket.remoteAddress ?? '';
    const name = nameOf(address, socket.remotePort ?? 0);
    const open = (addresses.get(address) ?? 0) + 1;
    if (open > limits.perAddress || sockets.size >= limits.total) return socket.destroy();
    addresses.set(address, open);
    sockets.set(name, socket);
    const timer = setTimeout(() => socket.destroy(), limits.handshakeMs);
    socket.once('authenticated', () => clearTimeout(timer));
    socket.once('close', () => {
      clearTimeout(timer);
      sockets.delete(name);
      const left = (addresses.get(address) ?? 1) - 1;
      if (left === 0) addresses.delete(address);
      else addresses.set(address, left);
    });
    socket.on('error', () => socket.destroy());
    protocol.injectSocket(socket);
  });
  server.listen(port, host);
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    async close(graceMs = 10_000) {
      const closed = once(server, 'close');
      server.close();
      const timer = setTimeout(() => {
        for (const socket of sockets.values()) socket.destroy();
      }, graceMs);
      await closed;
      clearTimeout(timer);
    },
  };
}

function nameOf(address: string, port: number): string {
  return `${address} ${port}`;
}
