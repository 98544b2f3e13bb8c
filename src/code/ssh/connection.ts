import type { AuthContext, Connection, ServerChannel, Session } from 'ssh2';
import type { Services } from '../../access/services.ts';
import type { GitSessions } from '../transport/public.ts';
import { findKeyHolder, type KeyHolder, noteKeyUse } from './identify.ts';
import { provesKeyPossession } from './proof.ts';
import { runCommand } from './run.ts';

const maxAttempts = 6;
const maxChannels = 10;

/** Handles one connection: authenticates the client by public key, then runs one command per session. */
export class SshConnection {
  readonly #services: Services;
  readonly #sessions: GitSessions;
  readonly #client: Connection;
  readonly #ip: string;
  /** The authenticated key. */
  #key: Buffer | undefined;
  #attempts = 0;
  #channels = 0;

  constructor(services: Services, sessions: GitSessions, client: Connection, ip: string) {
    this.#ip = ip;
    this.#services = services;
    this.#sessions = sessions;
    this.#client = client;
    client.on('authentication', (context) => void this.#authenticate(context));
    client.on('session', (accept, reject) => {
      if (this.#channels >= maxChannels) return reject();
      this.#serve(accept());
    });
    // Ignore connection resets by clients.
    client.on('error', () => {});
  }

  async #authenticate(context: AuthContext): Promise<void> {
    if (context.method !== 'publickey' || context.username !== 'git') {
      if (context.method !== 'none' && ++this.#attempts >= maxAttempts) this.#client.end();
      return context.reject(['publickey']);
    }
    try {
      const holder = await findKeyHolder(this.#services, context.key.data, this.#ip);
      if (!holder || (context.signature && !provesKeyPossession(context))) {
        if (++this.#attempts >= maxAttempts) this.#client.end();
        return context.reject(['publickey']);
      }
      // Without a signature, the client only asks whether the key is acceptable.
      if (context.signature) this.#key = Buffer.from(context.key.data);
      context.accept();
    } catch (error) {
      this.#services.log.error({ err: error }, 'failed to look up an SSH key');
      context.reject();
    }
  }

  #serve(session: Session): void {
    let protocol: string | undefined;
    // All other variables are ignored; some have been used for attacks.
    session.on('env', (accept, reject, { key, val }) => {
      if (key !== 'GIT_PROTOCOL') return reject?.();
      protocol = val;
      accept?.();
    });
    session.on('shell', (accept) => {
      const channel = accept();
      void this.#attend(channel, async ({ name }) => {
        channel.write(`Welcome to GitLab, ${name}!\r\n`);
        return 0;
      });
    });
    session.on('exec', (accept, _reject, { command }) => {
      const channel = accept();
      void this.#attend(channel, (holder) => {
        noteKeyUse(this.#services, holder.key).catch((error: unknown) => {
          this.#services.log.error({ err: error }, 'failed to record the use of an SSH key');
        });
        return runCommand({ services: this.#services, sessions: this.#sessions, holder, channel, protocol }, command);
      });
    });
  }

  /**
   * Runs a command after looking up the key again: a connection can stay open for days after the key was removed or its
   * owner was blocked or demoted.
   */
  async #attend(channel: ServerChannel, work: (holder: KeyHolder) => Promise<number>): Promise<void> {
    this.#channels++;
    // An unhandled channel error would end the process.
    channel.on('error', () => {});
    try {
      const holder = this.#key && (await findKeyHolder(this.#services, this.#key, this.#ip));
      if (!holder) this.#client.end();
      else finish(channel, await work({ ...holder, actor: { ...holder.actor, ip: this.#ip } }));
    } catch (error) {
      this.#services.log.error({ err: error }, 'failed to look up an SSH key');
      finish(channel, 1);
    } finally {
      this.#channels--;
    }
  }
}

function finish(channel: ServerChannel, code: number): void {
  if (channel.destroyed) return;
  channel.exit(code);
  channel.end();
}
