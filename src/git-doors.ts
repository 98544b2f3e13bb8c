import type { FastifyInstance } from 'fastify';
import type { LastUse } from './access/last-use.ts';
import { checkPassword } from './access/passwords.ts';
import { lfsRoutes } from './areas/lfs/plugin.ts';
import type { RunningSsh } from './areas/ssh/server.ts';
import { gitRoutes } from './areas/transport/plugin.ts';
import { createAuthenticate, GitSessions } from './areas/transport/service.ts';
import type { Services } from './platform/services.ts';

/** The ways in for git: HTTP and LFS as routes of the server, SSH on a port of its own. */
export interface GitDoors {
  /** Listens for SSH, if the settings name a port. */
  openSsh(): Promise<RunningSsh | undefined>;
}

/** Adds git's routes to the server. */
export async function addGitDoors(app: FastifyInstance, services: Services, lastUse: LastUse): Promise<GitDoors> {
  const authenticate = createAuthenticate({
    services,
    lastUse,
    checkPassword: (login, password) => checkPassword(services, login, password),
  });
  const sessions = new GitSessions(services);
  app.addHook('onClose', () => sessions.settled());
  await app.register(gitRoutes({ services, authenticate, sessions }));
  await app.register(lfsRoutes({ services, authenticate }));
  return {
    async openSsh() {
      const { sshPort: port, sshHost: host } = services.config;
      if (port === undefined) return undefined;
      // Loaded here: a server without SSH does not wait for its cryptography.
      const { startSsh } = await import('./areas/ssh/server.ts');
      return startSsh(services, sessions, { port, host });
    },
  };
}
