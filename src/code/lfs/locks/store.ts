import type { Insertable } from 'kysely';
import type { Reader, Writer } from '../../../platform/database/database.ts';
import { type Param, statement } from '../../../platform/database/statement.ts';
import type { LfsLocksTable } from '../tables.ts';

const foreign = statement((db, param: Param<{ project: number; user: number }>) =>
  db
    .selectFrom('lfs_locks')
    .select('id')
    .where('project_id', '=', param('project'))
    .where('user_id', '<>', param('user'))
    .limit(1),
);
const foreignOn = statement((db, param: Param<{ project: number; user: number; paths: readonly string[] }>) =>
  db
    .selectFrom('lfs_locks as l')
    .innerJoin('users as u', 'u.id', 'l.user_id')
    .select(['l.path', 'u.username'])
    .where('l.project_id', '=', param('project'))
    .where('l.user_id', '<>', param('user'))
    .where('l.path', 'in', param.texts('paths'))
    .limit(1),
);

/** The project to check, and the user whose own locks are ignored. */
export interface LockView {
  readonly projectId: number;
  readonly userId: number;
}

/** Whether another user has locked anything in the project. */
export async function hasForeignLocks(db: Reader, { projectId, userId }: LockView): Promise<boolean> {
  return (await foreign.first(db, { project: projectId, user: userId })) !== undefined;
}

/** Returns a lock of another user on one of these paths. */
export function foreignLock(
  db: Reader,
  { projectId, userId }: LockView,
  paths: readonly string[],
): Promise<{ path: string; username: string } | undefined> {
  return foreignOn.first(db, { project: projectId, user: userId, paths });
}

const inProjects = statement((db, param: Param<{ ids: readonly number[]; limit: number }>) =>
  db
    .selectFrom('lfs_locks')
    .select(['project_id', 'path', 'user_id'])
    .where('project_id', 'in', param.ids('ids'))
    .orderBy('id')
    .limit(param('limit')),
);

/** Lists the locks of these projects up to a limit. */
export function locksInProjects(
  db: Reader,
  ids: readonly number[],
  limit: number,
): Promise<{ project_id: number; path: string; user_id: number }[]> {
  return ids.length === 0 ? Promise.resolve([]) : inProjects.all(db, { ids: [...new Set(ids)], limit });
}

/** A lock with the name of its owner. */
export interface FoundLock {
  readonly id: number;
  readonly path: string;
  readonly user_id: number;
  readonly created_at: number;
  readonly name: string;
}

export function locksOf(db: Reader, projectId: number) {
  return db
    .selectFrom('lfs_locks as l')
    .innerJoin('users as u', 'u.id', 'l.user_id')
    .select(['l.id', 'l.path', 'l.user_id', 'l.created_at', 'u.name'])
    .where('l.project_id', '=', projectId);
}

export async function insertLock(trx: Writer, row: Insertable<LfsLocksTable>): Promise<number> {
  return (await trx.insertInto('lfs_locks').values(row).returning('id').executeTakeFirstOrThrow()).id;
}

export async function removeLock(trx: Writer, id: number): Promise<void> {
  await trx.deleteFrom('lfs_locks').where('id', '=', id).execute();
}
