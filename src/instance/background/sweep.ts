import { stat } from 'node:fs/promises';
import type { Services } from '../../access/services.ts';
import type { Repository } from '../../platform/git/repository.ts';
import { repositoriesBelow, sweepRepositories, sweepRepository } from '../../platform/git/upkeep/sweep.ts';
import { projectIdsAfter } from './store.ts';

const hour = 60 * 60_000;
const day = 24 * hour;
const atOnce = 5000;
/** Gaps in the project ids longer than this are not searched. */
const longestGap = 1_000_000;

/** Result of a sweep. */
export interface Swept {
  /** Incomplete creations, copies and deletions of repositories. */
  aside: number;
  /** Locks, packs and quarantines inside repositories. */
  files: number;
  /** Repositories of deleted projects. */
  forgotten: number;
}

/** Removes leftovers of crashes among the repositories once nothing can be using them. */
export async function sweep(services: Services, signal?: AbortSignal): Promise<Swept> {
  const { git, log } = services;
  const swept: Swept = { aside: await sweepRepositories(git.root, day), files: 0, forgotten: 0 };
  for await (const repo of repositoriesBelow(git.root)) {
    signal?.throwIfAborted();
    swept.files += await sweepRepository(repo);
  }
  for await (const id of goneProjects(services)) {
    signal?.throwIfAborted();
    const repo = git.repository(id);
    if (!(await untouched(repo))) continue;
    await git.remove(repo);
    swept.forgotten++;
  }
  if (swept.aside + swept.files + swept.forgotten > 0) log.info(swept, 'swept the repositories');
  return swept;
}

/**
 * Yields unused ids between those of existing projects, which belonged to deleted ones. Ids above the highest are never
 * included: after a restore the database may be older than the repositories.
 */
async function* goneProjects({ db }: Services): AsyncGenerator<number, void> {
  for (let last = 0; ; ) {
    const ids = await projectIdsAfter(db.read, last, atOnce);
    for (const id of ids) {
      if (id - last <= longestGap) for (let missing = last + 1; missing < id; missing++) yield missing;
      last = id;
    }
    if (ids.length < atOnce) return;
  }
}

/** Whether there is a repository that was not modified for a day. */
async function untouched(repo: Repository): Promise<boolean> {
  const found = await stat(repo.path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  return found !== undefined && found.mtimeMs < Date.now() - day;
}

/** Background jobs that belong to no resource. */
export function backgroundJobs(services: Services): void {
  services.queue.recurring(
    'repositories.sweep',
    { everyMs: hour },
    async ({ signal }) => {
      await sweep(services, signal);
    },
    { timeoutMs: 6 * hour },
  );
}
