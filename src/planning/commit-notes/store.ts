import type { Reader, Writer } from '../../platform/database/database.ts';
import { type Param, statement } from '../../platform/database/statement.ts';
import './tables.ts';

const bySha = statement((db, param: Param<{ project: number; sha: string }>) =>
  db
    .selectFrom('noted_commits')
    .select('id')
    .where('project_id', '=', param('project'))
    .where('sha', '=', param('sha')),
);

/** ID of a commit, if it has ever had notes. */
export async function findCommitId(db: Reader, project: number, sha: string): Promise<number | undefined> {
  return (await bySha.first(db, { project, sha }))?.id;
}

/** ID of a commit, which is assigned if it has none. */
export async function ensureCommitId(trx: Writer, project: number, sha: string): Promise<number> {
  await trx
    .insertInto('noted_commits')
    .values({ project_id: project, sha })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  const id = await findCommitId(trx, project, sha);
  if (id === undefined) throw new Error(`commit ${sha} has no ID`);
  return id;
}

const byIds = statement((db, param: Param<{ ids: readonly number[] }>) =>
  db.selectFrom('noted_commits').selectAll().where('id', 'in', param.ids('ids')),
);

export function notedCommits(db: Reader, ids: readonly number[]) {
  return byIds.all(db, { ids });
}
