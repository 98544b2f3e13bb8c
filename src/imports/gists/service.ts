import type { SignedInActor } from '../../access/actor.ts';
import type { Services } from '../../access/services.ts';
import { Forbidden, HttpError } from '../../platform/http/errors.ts';
import { scrubUrl } from '../../platform/scrub-url.ts';
import { HostError, RateLimited } from '../host-client/public.ts';
import { hostaClient } from '../hosta/public.ts';
import { requireSource } from '../project-imports/public.ts';
import { beginGistImport, findGistImport } from './store.ts';

/** Encryption purpose of the token. */
export const purpose = 'gist_imports.encrypted_data';

const lookUpMs = 10_000;
/** Imports that have not ended after this time never will. */
export const abandonedMs = 24 * 60 * 60_000;

const refused = (status: number, errors: string) => new HttpError(status, { errors });
const running = () => refused(422, 'Import already in progress');

/** Starts the import of the gists of the token's owner as snippets of the caller. */
export async function importGists(services: Services, caller: SignedInActor, token: string): Promise<void> {
  const { db, encryption, queue } = services;
  if (caller.user.external === 1) throw new Forbidden();
  await requireSource(services, 'github', (text) => new HttpError(403, { errors: [text] }));
  const userId = caller.user.id;
  const now = Date.now();
  const before = await findGistImport(db.read, userId);
  if (before && before.encrypted_data !== null && before.started_at >= now - abandonedMs) throw running();
  await checkToken(services, token);
  await db.write(async (trx) => {
    const row = { user_id: userId, encrypted_data: encryption.encrypt(token, purpose), started_at: now };
    if (!(await beginGistImport(trx, row, now - abandonedMs))) throw running();
    await queue.enqueue(trx, 'imports.gists', { userId }, { dedupeKey: `${userId}` });
  });
}

async function checkToken(services: Services, token: string): Promise<void> {
  try {
    await hostaClient(services, services.config.hostaUrl, token).get('/user', { timeoutMs: lookUpMs });
  } catch (error) {
    if (error instanceof RateLimited) throw refused(429, 'GitHub API rate limit exceeded');
    if (error instanceof HostError && (error.status === 401 || error.status === 403)) {
      throw refused(401, 'Access denied to the GitHub account');
    }
    const message = error instanceof Error ? error.message : String(error);
    throw refused(422, scrubUrl(`Import failed because of a GitHub error: ${message}`));
  }
}
