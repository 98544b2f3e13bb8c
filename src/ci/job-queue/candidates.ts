import type { Reader } from '../../platform/database/database.ts';
import type { RunnerRow } from '../runners/public.ts';
import { firstOfProjects, furtherOf, jobsFor, mostCandidates, mostTagSets } from './store.ts';

/** The lists of tags that waiting jobs ask for: all of them, and those that the runner meets. */
interface TagSets {
  readonly all: readonly string[];
  readonly met: readonly string[];
}

/**
 * The jobs that a runner may have, those it should have first in front. A runner of the instance that takes whatever
 * waits, as most do, finds them without a look at all of them: thousands may.
 */
export async function* candidatesFor(db: Reader, runner: RunnerRow, { all, met }: TagSets): AsyncGenerator<number> {
  const known = all.length < mostTagSets;
  const takesAll = known && met.length === all.length && runner.access_level !== 'ref_protected';
  if (runner.runner_type !== 'instance_type' || !takesAll) {
    yield* await jobsFor(db, runner, met);
    return;
  }
  const first = await firstOfProjects(db);
  for (const { job_id } of first) yield job_id;
  let left = mostCandidates - first.length;
  for (const { project_id, job_id } of first) {
    if (left <= 0) return;
    for (const id of (await furtherOf(db, project_id, job_id)).slice(0, left)) {
      yield id;
      left -= 1;
    }
  }
}
