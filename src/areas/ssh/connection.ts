import type { AuthContext, Connection, ServerChannel, Session } from 'ssh2';
import type { Services } from '../../platform/services.ts';
import type { GitSessions } from '../transport/service.ts';
import { holderOf, type KeyHolder, noteKeyUse } from './identify.ts';
import { proves } from './proof.ts';
import { runCommand } from './run.ts';

const attempts = 6;
const channelsAtOnce = 10;

/** What happens on one connection: a public key proves who is there, then each session runs one command. */
export class SshConnection {
  readonly #services: Services;
  readonly #sessions: GitSessions;
  readonly #client: Connection;
  readonly #ip: string;
  #holder: KeyHolder | undefined;
  #attempts = 0;
  #channels = 0;

  constructor(services: Services, sessions: GitSessions, client: Connection, ip: string) {
    this.#ip = ip;
    this.#services = services;
    this.#sessions = sessions;
    this.#client = client;
    client.on('authentication', (context) => void this.#authenticate(context));
    client.on('session', (accept, reject) => {
      if (this.#channels >= channelsAtOnce) return reject();
      this.#serve(accept());
    });
    // A client that resets its connection is no news.
    client.on('error', () => {});
  }

  async #authenticate(context: AuthContext): Promise<void> {
    if (context.method !== 'publickey' || context.username !== 'git') {
      if (context.method !== 'none' && ++this.#attempts >= attempts) this.#client.end();
      return context.reject(['publickey']);
    }
    try {
      const holder = await holderOf(this.#services, context.key.data);
      if (!holder || (context.signature && !proves(context))) {
        if (++this.#attempts >= attempts) this.#client.end();
        return context.reject(['publickey']);
      }
      // Without a signature the client only asks whether the key would do.
      if (context.signature) this.#holder = { ...holder, actor: { ...holder.actor, ip: this.#ip } };
      context.accept();
    } catch (error) {
      this.#services.log.error({ err: error }, 'a key could not be looked up');
      context.reject();
    }
  }

  #serve(session: Session): void {
    const holder = this.#holder;
    let protocol: string | undefined;
    // Every other variable is left where it is: some have opened servers before.
    session.on('env', (accept, reject, { key, val }) => {
      if (key !== 'GIT_PROTOCOL') return reject?.();
      protocol = val;
      accept?.();
    });
    session.on('shell', (accept) => {
      const channel = accept();
      channel.write(`Welcome to GitLab, ${holder?.name ?? ''}!\r\n`);
      finish(channel, 0);
    });
    session.on('exec', (accept, _reject, { command }) => {
      if (!holder) return;
      const channel = accept();
      this.#channels++;
      // An unhandled error of a channel would end the process.
      channel.on('error', () => {});
      noteKeyUse(this.#services, holder.key).catch((error: unknown) => {
        this.#services.log.error({ err: error }, 'the use of a key could not be recorded');
      });
      void runCommand({ services: this.#services, sessions: this.#sessions, holder, channel, protocol }, command)
        .then((code) => finish(channel, code))
        .finally(() => {
          this.#channels--;
        });
    });
  }
}

function finish(channel: ServerChannel, code: number): void {
  if (channel.destroyed) return;
  channel.exit(code);
  channel.end();
}
