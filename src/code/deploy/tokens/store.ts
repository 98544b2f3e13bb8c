import { belongsTo, ownerColumnsOf, type ProjectOrGroup } from '../../../access/project-or-group.ts';
import type { Reader, Writer } from '../../../platform/database/database.ts';
import { type Param, statement } from '../../../platform/database/statement.ts';
import type { DeployTokenRow, NewDeployTokenRow } from '../tables.ts';

const byDigest = statement((db, param: Param<{ digest: string }>) =>
  db.selectFrom('deploy_tokens').selectAll().where('digest', '=', param('digest')),
);
const reaching = statement((db, param: Param<{ id: number; project: number; namespace: number }>) =>
  db
    .selectFrom('deploy_tokens as t')
    .select('t.id')
    .where('t.id', '=', param('id'))
    .where('t.revoked', '=', 0)
    .where((eb) =>
      eb.or([
        eb('t.project_id', '=', param('project')),
        eb(
          't.namespace_id',
          'in',
          db.selectFrom('namespace_ancestors').select('ancestor_id').where('namespace_id', '=', param('namespace')),
        ),
      ]),
    ),
);
const noteUse = statement((db, param: Param<{ id: number; at: number; before: number }>) =>
  db
    .updateTable('deploy_tokens')
    .set({ last_used_at: param('at') })
    .where('id', '=', param('id'))
    .where((eb) => eb.or([eb('last_used_at', 'is', null), eb('last_used_at', '<', param('before'))])),
);

export function findByDigest(db: Reader, digest: string): Promise<DeployTokenRow | undefined> {
  return byDigest.first(db, { digest });
}

/** Whether a token belongs to the project or one of its ancestor groups. */
export async function tokenCoversProject(
  db: Reader,
  id: number,
  project: { id: number; namespace_id: number },
): Promise<boolean> {
  return (await reaching.first(db, { id, project: project.id, namespace: project.namespace_id })) !== undefined;
}

/** Records a use of the token, at most once per interval. */
export async function noteTokenUse(trx: Writer, id: number, at: number, every: number): Promise<void> {
  await noteUse.run(trx, { id, at, before: at - every });
}

export function tokensOf(db: Reader, place: ProjectOrGroup) {
  return db
    .selectFrom('deploy_tokens')
    .selectAll()
    .where(belongsTo('deploy_tokens', ownerColumnsOf(place)));
}

/** Finds the active token of this name in the project, or else in its group. */
export function tokenForJobs(db: Reader, project: { id: number; namespace_id: number }, name: string) {
  return db
    .selectFrom('deploy_tokens')
    .selectAll()
    .where((eb) => eb.or([eb('project_id', '=', project.id), eb('namespace_id', '=', project.namespace_id)]))
    .where('name', '=', name)
    .where('revoked', '=', 0)
    .where((eb) => eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', Date.now())]))
    .orderBy((eb) => eb.case().when('project_id', 'is not', null).then(0).else(1).end())
    .orderBy('id')
    .limit(1)
    .executeTakeFirst();
}

export function insertToken(trx: Writer, row: NewDeployTokenRow): Promise<DeployTokenRow> {
  return trx.insertInto('deploy_tokens').values(row).returningAll().executeTakeFirstOrThrow();
}

export async function nameToken(trx: Writer, id: number, username: string): Promise<void> {
  await trx.updateTable('deploy_tokens').set({ username }).where('id', '=', id).execute();
}

export async function deleteToken(trx: Writer, id: number): Promise<void> {
  await trx.deleteFrom('deploy_tokens').where('id', '=', id).execute();
}
