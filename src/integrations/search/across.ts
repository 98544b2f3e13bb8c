import { isProject } from '../../access/project-or-group.ts';
import type { Services } from '../../access/services.ts';
import type { ProjectSubject } from '../../access/subjects.ts';
import { findProjects, listGroupProjects, listProjects, subjectsOf } from '../../namespaces/projects/public.ts';
import { Busy, KeyedLimiter } from '../../platform/concurrency.ts';
import type { Git } from '../../platform/git/git.ts';
import { HttpError, Overloaded } from '../../platform/http/errors.ts';
import { type KeysetPage, Page } from '../../platform/http/pages/pagination.ts';
import { perServer } from '../../platform/per-server.ts';
import type { ProjectSearch, Search } from './search-request.ts';

/** Searches one project. */
export type FindInProject = (services: Services, search: ProjectSearch) => Promise<Page<unknown> | KeysetPage<unknown>>;

const longestMs = 20_000;
/** Maximum number of results; larger offsets return an empty page. */
const maxResults = 2000;
const projectsAtOnce = 50;

// Each search reads many repositories: searches of one user are queued and do not delay other users.
const turns = perServer((_: Git) => new KeyedLimiter());
const ofOnePerson = { running: 1, waiting: 8 } as const;

/**
 * Searches the projects of a group, or all projects, one after another, newest first, until the page is full.
 * Repository content has no index; a search that exceeds the time limit fails rather than leave projects out.
 */
export async function acrossProjects(services: Services, search: Search, find: FindInProject): Promise<Page<unknown>> {
  if (search.page.offset >= maxResults) return new Page([], undefined, false);
  const release = await turn(services, search);
  const deadline = AbortSignal.timeout(longestMs);
  try {
    const signal = AbortSignal.any([search.signal, deadline]);
    return await walk(services, { ...search, signal }, find);
  } catch (error) {
    if (!deadline.aborted || search.signal.aborted) throw error;
    throw new HttpError(408, { message: { error: 'Request timed out' } });
  } finally {
    release();
  }
}

async function turn({ git }: Services, { caller, signal }: Search): Promise<() => void> {
  try {
    return await turns(git).acquire(`${caller.user.id}`, ofOnePerson, signal);
  } catch (error) {
    throw error instanceof Busy ? new Overloaded() : error;
  }
}

async function walk(services: Services, search: Search, find: FindInProject): Promise<Page<unknown>> {
  const { offset, perPage } = search.page;
  const items: unknown[] = [];
  let seen = 0;
  // One more result than shown, to know whether there is a next page.
  const enough = offset + perPage + 1;
  for await (const place of projectsIn(services, search)) {
    search.signal.throwIfAborted();
    const found = await find(services, { ...search, place, page: { page: 1, offset: 0, perPage: enough - seen } });
    for (const item of found.items) if (seen++ >= offset && items.length < perPage) items.push(item);
    if (seen >= enough) return new Page(items, undefined, offset + perPage < maxResults);
  }
  return new Page(items, seen);
}

/** Iterates the projects that the caller can read, with the caller's permissions. */
async function* projectsIn(
  services: Services,
  { caller, place, params }: Search,
): AsyncGenerator<ProjectSubject, void> {
  const options = {
    simple: true,
    order_by: 'id',
    sort: 'desc',
    exclude_forks: params.exclude_forks ?? false,
    ...(params.include_archived ? {} : { archived: false }),
  } as const;
  let before: { readonly id_before?: number } = {};
  const slice = { page: 1, perPage: projectsAtOnce, offset: 0 };
  for (;;) {
    const { items } =
      place === null || isProject(place)
        ? await listProjects(services, caller, { options: { ...options, ...before }, slice })
        : await listGroupProjects(
            services,
            caller,
            place,
            { ...options, ...before, include_subgroups: true, with_shared: false },
            slice,
          );
    const rows = await findProjects(
      services.db.read,
      items.map(({ id }) => id),
    );
    yield* (await subjectsOf(services.db.read, caller, rows)).sort((a, b) => b.project.id - a.project.id);
    const last = items.at(-1);
    if (last === undefined || items.length < projectsAtOnce) return;
    before = { id_before: last.id };
  }
}
