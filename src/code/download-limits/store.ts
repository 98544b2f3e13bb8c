import type { Reader, Writer } from '../../platform/database/database.ts';

interface Download {
  readonly scope: number;
  readonly user_id: number;
  readonly project_id: number;
}

/** When the user last downloaded the project. */
export async function lastDownload(db: Reader, { scope, user_id, project_id }: Download): Promise<number> {
  const row = await db
    .selectFrom('project_downloads')
    .select('last_at')
    .where('scope', '=', scope)
    .where('user_id', '=', user_id)
    .where('project_id', '=', project_id)
    .executeTakeFirst();
  return row?.last_at ?? 0;
}

export async function putDownload(trx: Writer, download: Download, last_at: number): Promise<void> {
  await trx
    .insertInto('project_downloads')
    .values({ ...download, last_at })
    .onConflict((conflict) => conflict.columns(['scope', 'user_id', 'project_id']).doUpdateSet({ last_at }))
    .execute();
}

/** Counts the projects a user has downloaded since a time, up to a maximum. */
export async function countDownloads(
  db: Reader,
  scope: number,
  user: number,
  since: number,
  limit: number,
): Promise<number> {
  const rows = await db
    .selectFrom('project_downloads')
    .select('project_id')
    .where('scope', '=', scope)
    .where('user_id', '=', user)
    .where('last_at', '>', since)
    .limit(limit)
    .execute();
  return rows.length;
}

export async function forgetDownloads(trx: Writer, before: number): Promise<void> {
  await trx.deleteFrom('project_downloads').where('last_at', '<=', before).execute();
}
