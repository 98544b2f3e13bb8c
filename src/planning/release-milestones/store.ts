import { sql } from 'kysely';
import type { Reader, Writer } from '../../platform/database/database.ts';
import { type Param, statement } from '../../platform/database/statement.ts';

const ofReleases = statement((db, param: Param<{ releases: readonly number[] }>) =>
  db
    .selectFrom('milestone_releases')
    .innerJoin('milestones', 'milestones.id', 'milestone_releases.milestone_id')
    .select(['release_id', 'milestone_id'])
    .where('release_id', 'in', param.ids('releases'))
    // By due date; those without one come last.
    .orderBy(sql`case when milestones.due_date is null then 1 else 0 end`)
    .orderBy('milestones.due_date')
    .orderBy('milestones.title'),
);

/** Milestone IDs of releases. */
export function milestonesOfReleases(
  db: Reader,
  releases: readonly number[],
): Promise<{ release_id: number; milestone_id: number }[]> {
  return ofReleases.all(db, { releases });
}

export async function replaceMilestonesOfRelease(
  trx: Writer,
  releaseId: number,
  milestoneIds: readonly number[],
): Promise<void> {
  await trx.deleteFrom('milestone_releases').where('release_id', '=', releaseId).execute();
  await addMilestones(trx, [releaseId], milestoneIds);
}

/** Replaces merged milestones of releases by the remaining one. */
export async function mergeMilestonesOfReleases(
  trx: Writer,
  milestoneIds: readonly number[],
  into: number,
): Promise<void> {
  const rows = await trx
    .deleteFrom('milestone_releases')
    .where('milestone_id', 'in', milestoneIds)
    .returning('release_id')
    .execute();
  await addMilestones(trx, [...new Set(rows.map((row) => row.release_id))], [into]);
}

async function addMilestones(trx: Writer, releases: readonly number[], milestones: readonly number[]): Promise<void> {
  const rows = releases.flatMap((release_id) => milestones.map((milestone_id) => ({ release_id, milestone_id })));
  if (rows.length === 0) return;
  await trx
    .insertInto('milestone_releases')
    .values(rows)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}
