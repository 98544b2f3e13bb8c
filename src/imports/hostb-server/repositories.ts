import type { SignedInActor } from '../../access/actor.ts';
import type { Services } from '../../access/services.ts';
import {
  type HostRepositoriesEntity,
  limitLookUps,
  messageErrorFormat as refused,
  requireSource,
} from '../project-imports/public.ts';
import { serverListed, serverPage } from './records.ts';
import type { ServerRepositoriesParams } from './schema.ts';
import { askServer, serverUrl } from './service.ts';

const perPage = 50;

/** Lists the repositories a user can read on a server, which paginates by offset. */
export async function listRepositories(
  services: Services,
  caller: SignedInActor,
  params: ServerRepositoriesParams,
): Promise<HostRepositoriesEntity> {
  await requireSource(services, 'bitbucket_server', (text) => refused(403, text));
  const url = await serverUrl(services, params.bitbucket_server_url);
  await limitLookUps(services, caller);
  const query = new URLSearchParams({ limit: `${perPage}`, start: `${Math.max(params.page, 0)}` });
  if (params.search?.trim()) query.set('name', params.search.trim());
  const access = { url, username: params.bitbucket_server_username, token: params.personal_access_token };
  const { body } = await askServer(services, access, `/repos?${query}`);
  if (!serverPage.fits(body)) throw refused(422, 'The server did not return a list of repositories');
  const repositories = body.values.filter(serverListed.fits).map((one) => ({
    id: `${one.project.key}/${one.slug}`,
    full_name: `${one.project.name ?? one.project.key} / ${one.name}`,
    description: one.description ?? null,
    private: one.public !== true,
  }));
  return { repositories, next_page: body.isLastPage === false ? (body.nextPageStart ?? null) : null };
}
