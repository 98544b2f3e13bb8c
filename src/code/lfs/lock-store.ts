import type { Reader } from '../../platform/database/database.ts';
import { type Param, statement } from '../../platform/database/statement.ts';

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

/** Whose locks do not count, and where. */
export interface LockView {
  readonly projectId: number;
  readonly userId: number;
}

/** Has anybody else locked anything in the project? */
export async function hasForeignLocks(db: Reader, { projectId, userId }: LockView): Promise<boolean> {
  return (await foreign.first(db, { project: projectId, user: userId })) !== undefined;
}

/** A lock that somebody else holds on one of these paths. */
export function foreignLock(
  db: Reader,
  { projectId, userId }: LockView,
  paths: readonly string[],
): Promise<{ path: string; username: string } | undefined> {
  return foreignOn.first(db, { project: projectId, user: userId, paths });
}
