import type { SignedInActor } from '../../access/actor.ts';
import type { Services } from '../../access/services.ts';
import { HttpError } from '../../platform/http/errors.ts';
import {
  type HostRepositoriesEntity,
  type HostRepositoryEntity,
  limitLookUps,
  requireSource,
} from '../project-imports/public.ts';
import { hostaClient } from './api.ts';
import { hostaListed } from './records.ts';
import type { HostaRepositoriesParams } from './schema.ts';
import { apiOf, cannotRead, requestOrRefuse } from './service.ts';

const perPage = 100;
/** Search limits while a user waits: the number of pages scanned, and of results found. */
const limits = { pages: 5, found: 20 };

/** Lists the repositories a token can read. The API cannot filter by name, so results are filtered here. */
export async function listRepositories(
  services: Services,
  caller: SignedInActor,
  { page, search, ...params }: HostaRepositoriesParams,
): Promise<HostRepositoriesEntity> {
  await requireSource(services, 'github', (text) => new HttpError(403, { errors: [text] }));
  const api = await apiOf(services, params.hosta_hostname ?? params.github_hostname);
  await limitLookUps(services, caller);
  const client = hostaClient(services, api, params.personal_access_token);
  const term = search?.trim().toLowerCase() ?? '';
  const repositories: HostRepositoryEntity[] = [];
  const first = Math.max(page, 1);
  for (let at = first; ; at++) {
    const place = `/user/repos?sort=full_name&per_page=${perPage}&page=${at}`;
    const listed = await requestOrRefuse(client, place, cannotRead('repositories', 'repo'));
    const records = Array.isArray(listed) ? listed.slice(0, perPage) : [];
    repositories.push(
      ...records
        .filter(hostaListed.fits)
        .map(present)
        .filter(({ full_name }) => full_name.toLowerCase().includes(term)),
    );
    if (records.length < perPage) return { repositories, next_page: null };
    if (term === '' || repositories.length >= limits.found || at - first + 1 >= limits.pages) {
      return { repositories, next_page: at + 1 };
    }
  }
}

function present(one: { id: number; full_name: string; description?: string | null; private?: boolean | null }) {
  const { id, full_name, description } = one;
  return { id: String(id), full_name, description: description ?? null, private: one.private === true };
}
