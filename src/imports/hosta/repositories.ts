import type { SignedInActor } from '../../access/actor.ts';
import type { Services } from '../../access/services.ts';
import { HttpError } from '../../platform/http/errors.ts';
import {
  countLookUp,
  type HostRepositoriesEntity,
  type HostRepositoryEntity,
  requireSource,
} from '../project-imports/public.ts';
import { hostaClient } from './api.ts';
import { hostaListed } from './records.ts';
import type { HostaRepositoriesParams } from './schema.ts';
import { apiOf, asked, cannotRead } from './service.ts';

const perPage = 100;
/** So many pages are looked through for a part of a name, and no more once this many have it: somebody waits. */
const most = { pages: 5, found: 20 };

/** The repositories that a token reads. hosta finds none of them by a part of the name: they are looked through here. */
export async function listRepositories(
  services: Services,
  caller: SignedInActor,
  { page, search, ...params }: HostaRepositoriesParams,
): Promise<HostRepositoriesEntity> {
  await requireSource(services, 'github', (text) => new HttpError(403, { errors: [text] }));
  const api = await apiOf(services, params.hosta_hostname ?? params.github_hostname);
  await countLookUp(services, caller);
  const client = hostaClient(services, api, params.personal_access_token);
  const wanted = search?.trim().toLowerCase() ?? '';
  const repositories: HostRepositoryEntity[] = [];
  const first = Math.max(page, 1);
  for (let at = first; ; at++) {
    const place = `/user/repos?sort=full_name&per_page=${perPage}&page=${at}`;
    const listed = await asked(client, place, cannotRead('repositories', 'repo'));
    const records = Array.isArray(listed) ? listed.slice(0, perPage) : [];
    repositories.push(
      ...records
        .filter(hostaListed.fits)
        .map(present)
        .filter(({ full_name }) => full_name.toLowerCase().includes(wanted)),
    );
    if (records.length < perPage) return { repositories, next_page: null };
    if (wanted === '' || repositories.length >= most.found || at - first + 1 >= most.pages) {
      return { repositories, next_page: at + 1 };
    }
  }
}

function present(one: { id: number; full_name: string; description?: string | null; private?: boolean | null }) {
  const { id, full_name, description } = one;
  return { id: String(id), full_name, description: description ?? null, private: one.private === true };
}
