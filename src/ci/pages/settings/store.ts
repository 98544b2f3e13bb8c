import type { Services } from '../../../access/services.ts';
import type { Reader, Writer } from '../../../platform/database/database.ts';
import type { SiteRow } from '../tables.ts';

export function siteOf(db: Reader, projectId: number): Promise<SiteRow | undefined> {
  return db.selectFrom('pages_sites').selectAll().where('project_id', '=', projectId).executeTakeFirst();
}

/**
 * Returns the settings of a site, creating them if necessary. Existing settings are unaffected by later changes of the
 * instance default.
 */
export async function ensureSite({ settings }: Services, trx: Writer, projectId: number): Promise<SiteRow> {
  const { pages_unique_domain_default_enabled: unique } = await settings.read();
  await trx
    .insertInto('pages_sites')
    .values({
      project_id: projectId,
      unique_domain_enabled: unique ? 1 : 0,
      https_only: 1,
      primary_domain: null,
      updated_at: Date.now(),
    })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  const site = await siteOf(trx, projectId);
  if (!site) throw new Error(`the site of project ${projectId} was not created`);
  return site;
}

export async function changeSite(
  trx: Writer,
  projectId: number,
  change: Partial<Pick<SiteRow, 'unique_domain_enabled' | 'https_only' | 'primary_domain'>>,
): Promise<void> {
  await trx
    .updateTable('pages_sites')
    .set({ ...change, updated_at: Date.now() })
    .where('project_id', '=', projectId)
    .execute();
}

export async function saveProblem(
  trx: Writer,
  projectId: number,
  problem: Pick<SiteRow, 'problem' | 'problem_job_id'>,
): Promise<void> {
  await trx.updateTable('pages_sites').set(problem).where('project_id', '=', projectId).execute();
}
