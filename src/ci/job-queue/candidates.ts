import type { Reader } from '../../platform/database/database.ts';
import type { RunnerRow } from '../runners/public.ts';
import { firstOfProjects, furtherOf, jobsFor, maxCandidates, maxTagSets } from './store.ts';

/** The lists of tags that waiting jobs ask for: all of them, and those that the runner meets. */
interface TagSets {
  readonly all: readonly string[];
  readonly met: readonly string[];
}

/** A job that a runner may have, and how many were found for it so far. */
export interface Candidate {
  readonly id: number;
  readonly found: number;
}

/**
 * The jobs that a runner may have, those it should have first in front. A runner of the instance that takes whatever
 * waits, as most do, finds them without a look at all of them: thousands may.
 */
export async function* candidatesFor(db: Reader, runner: RunnerRow, { all, met }: TagSets): AsyncGenerator<Candidate> {
  const known = all.length < maxTagSets;
  const takesAll = known && met.length === all.length && runner.access_level !== 'ref_protected';
  if (runner.runner_type !== 'instance_type' || !takesAll) {
    const ids = await jobsFor(db, runner, met);
    for (const id of ids) yield { id, found: ids.length };
    return;
  }
  const first = await firstOfProjects(db);
  for (const { job_id } of first) yield { id: job_id, found: first.length };
  let found = first.length;
  let left = maxCandidates - first.length;
  for (const { project_id, job_id } of first) {
    if (left <= 0) return;
    const ids = (await furtherOf(db, project_id, job_id)).slice(0, left);
    found += ids.length;
    for (const id of ids) {
      yield { id, found };
      left -= 1;
    }
  }
}
