import type { FastifyInstance } from 'fastify';
import type { PageContext } from '../../access/area.ts';
import { jobTokenLookup } from '../../access/credentials/job-tokens.ts';
import { checkPasswordOfProgram } from '../../access/credentials/passwords.ts';
import { createAuthenticate } from './authenticate.ts';
import { gitRoutes } from './routes.ts';
import { GitSessions } from './sessions.ts';

/** Serves git over HTTP, and over SSH if a port is configured. */
export async function serveGit(app: FastifyInstance, { services, lastUse }: PageContext) {
  const authenticate = createAuthenticate({
    services,
    lastUse,
    jobToken: jobTokenLookup(services),
    checkPassword: (login, password) => checkPasswordOfProgram(services, login, password),
  });
  const sessions = new GitSessions(services);
  app.addHook('onClose', () => sessions.settled());
  await app.register(gitRoutes({ services, authenticate, sessions }));
  return async () => {
    const { sshPort: port, sshHost: host } = services.config;
    if (port === undefined) return undefined;
    // Imported lazily, so that a server without SSH does not load its cryptography.
    const { startSsh } = await import('../ssh/public.ts');
    return startSsh(services, sessions, { port, host });
  };
}
