import type { Reader } from '../../platform/database/database.ts';
import type { RunnerRow } from '../runners/public.ts';
import { firstOfProjects, jobsFor, maxCandidates, maxTagSets, nextOfProject } from './store.ts';

/** Distinct tag lists of pending jobs: all of them, and those that the runner matches. */
interface TagSets {
  readonly tagSets: readonly string[];
  readonly matchingSets: readonly string[];
}

/** A job that a runner may take, and the number of candidates found so far. */
export interface Candidate {
  readonly id: number;
  readonly found: number;
}

/**
 * Yields the jobs that a runner may take, by priority. An instance runner that matches every pending job, as most do,
 * finds them without scanning the queue, which may hold thousands.
 */
export async function* candidatesFor(
  db: Reader,
  runner: RunnerRow,
  { tagSets, matchingSets }: TagSets,
): AsyncGenerator<Candidate> {
  const complete = tagSets.length < maxTagSets;
  const takesAll = complete && matchingSets.length === tagSets.length && runner.access_level !== 'ref_protected';
  if (runner.runner_type !== 'instance_type' || !takesAll) {
    const ids = await jobsFor(db, runner, matchingSets);
    for (const id of ids) yield { id, found: ids.length };
    return;
  }
  const first = await firstOfProjects(db);
  for (const { job_id } of first) yield { id: job_id, found: first.length };
  let found = first.length;
  let remaining = maxCandidates - first.length;
  for (const { project_id, job_id } of first) {
    if (remaining <= 0) return;
    const ids = (await nextOfProject(db, project_id, job_id)).slice(0, remaining);
    found += ids.length;
    for (const id of ids) {
      yield { id, found };
      remaining -= 1;
    }
  }
}
