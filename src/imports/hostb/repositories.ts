import type { SignedInActor } from '../../access/actor.ts';
import type { Services } from '../../access/services.ts';
import { HttpError } from '../../platform/http/errors.ts';
import { scrubUrl } from '../../platform/scrub-url.ts';
import {
  type HostRepositoriesEntity,
  limitLookUps,
  lookUpMs,
  messageErrorFormat as refused,
  requireSource,
} from '../project-imports/public.ts';
import { hostbClient } from './api.ts';
import { hostbListed, hostbPage } from './records.ts';
import type { HostbRepositoriesParams } from './schema.ts';
import { credentialsOf, nullOnStatus } from './service.ts';

const perPage = 50;

/** Lists the repositories of a workspace the credentials can read. */
export async function listRepositories(
  services: Services,
  caller: SignedInActor,
  params: HostbRepositoriesParams,
): Promise<HostRepositoriesEntity> {
  await requireSource(services, 'bitbucket', (text) => refused(403, text));
  await limitLookUps(services, caller);
  const page = Math.max(params.page, 1);
  const listed = await ask(services, params, page);
  const repositories = listed.values.filter(hostbListed.fits).map((one) => ({
    id: one.full_name,
    full_name: one.full_name,
    description: one.description || null,
    private: one.is_private !== false,
  }));
  return { repositories, next_page: listed.next ? page + 1 : null };
}

async function ask(services: Services, params: HostbRepositoriesParams, page: number) {
  const { workspace, search = '' } = params;
  const query = new URLSearchParams({ pagelen: `${perPage}`, page: `${page}`, sort: 'name' });
  if (search.trim() !== '') query.set('q', `name ~ "${search.trim().replace(/[\\"]/g, '')}"`);
  const place = `/repositories/${encodeURIComponent(workspace.trim())}?${query}`;
  const client = hostbClient(services, credentialsOf(services, params));
  try {
    const body = await client
      .get<unknown>(place, { timeoutMs: lookUpMs })
      .then((answer) => answer.body)
      .catch(nullOnStatus(401, 403, 404));
    if (body === null)
      throw refused(422, `Workspace ${workspace} could not be found, or your credentials have no access to it`);
    if (hostbPage.fits(body)) return body;
    throw refused(422, `Workspace ${workspace} could not be read`);
  } catch (error) {
    if (error instanceof HttpError) throw error;
    throw refused(400, scrubUrl(`Import failed due to an error: ${error instanceof Error ? error.message : error}`));
  }
}
