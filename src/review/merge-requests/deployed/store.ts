import type { Reader, Writer } from '../../../platform/database/database.ts';
import type { MergeRequestRow } from '../tables.ts';
import './tables.ts';

/** Recently merged requests of a project that have not been deployed to an environment yet. */
export function notDeployed(
  db: Reader,
  projectId: number,
  environmentId: number,
  limit: number,
): Promise<MergeRequestRow[]> {
  return db
    .selectFrom('merge_requests')
    .selectAll()
    .where('project_id', '=', projectId)
    .where('state', '=', 'merged')
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom('deployment_merge_requests as dm')
            .select('dm.merge_request_id')
            .whereRef('dm.merge_request_id', '=', 'merge_requests.id')
            .where('dm.environment_id', '=', environmentId),
        ),
      ),
    )
    .orderBy('merged_at', 'desc')
    .limit(limit)
    .execute();
}

export async function linkDeployed(trx: Writer, deploymentId: number, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return;
  await trx
    .insertInto('deployment_merge_requests')
    .values(ids.map((merge_request_id) => ({ deployment_id: deploymentId, merge_request_id })))
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** Time at which a merge request was first deployed to production. */
export async function firstInProduction(db: Reader, id: number): Promise<number | null> {
  const found = await db
    .selectFrom('deployment_merge_requests as dm')
    .innerJoin('deployments as d', 'd.id', 'dm.deployment_id')
    .innerJoin('environments as e', 'e.id', 'd.environment_id')
    .select((eb) => eb.fn.min('d.finished_at').as('at'))
    .where('dm.merge_request_id', '=', id)
    .where('e.tier', '=', 'production')
    .executeTakeFirst();
  return found?.at ?? null;
}
