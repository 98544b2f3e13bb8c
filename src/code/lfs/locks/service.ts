import { Role } from '../../../access/roles.ts';
import type { Database, Reader } from '../../../platform/database/database.ts';
import { uniqueViolation } from '../../../platform/database/errors.ts';
import type { GitAccess } from '../../transport/public.ts';
import { LfsRefusal } from '../refusal.ts';
import { type FoundLock, insertLock, locksOf, removeLock } from './store.ts';

/** A lock as clients see it. */
export interface LockEntity {
  readonly id: string;
  readonly path: string;
  readonly locked_at: string;
  readonly owner: { readonly name: string };
}

function present(lock: FoundLock): LockEntity {
  return {
    id: String(lock.id),
    path: lock.path,
    locked_at: new Date(lock.created_at).toISOString(),
    owner: { name: lock.name },
  };
}

/** Filter and pagination of a lock list. */
export interface LockFilter {
  readonly id?: string;
  readonly path?: string;
  readonly cursor?: string;
  readonly limit?: number;
}

const maxPageSize = 100;

/** Returns a page of locks starting at a cursor, and the next cursor if there are more. */
async function page(db: Reader, projectId: number, filter: LockFilter): Promise<{ rows: FoundLock[]; next?: string }> {
  let query = locksOf(db, projectId).orderBy('l.id');
  const limit = Math.min(Math.max(filter.limit ?? maxPageSize, 1), maxPageSize);
  const number = (text: string) => (/^\d{1,15}$/.test(text) ? Number(text) : 0);
  if (filter.id !== undefined) query = query.where('l.id', '=', number(filter.id));
  if (filter.path !== undefined) query = query.where('l.path', '=', filter.path);
  if (filter.cursor !== undefined) query = query.where('l.id', '>=', number(filter.cursor));
  const rows = await query.limit(limit + 1).execute();
  const next = rows[limit];
  return { rows: rows.slice(0, limit), ...(next ? { next: String(next.id) } : {}) };
}

export async function listLocks(db: Database, { subject }: GitAccess, filter: LockFilter) {
  const { rows, next } = await page(db.read, subject.project.id, filter);
  return { locks: rows.map(present), ...(next === undefined ? {} : { next_cursor: next }) };
}

/** Splits the locks into the caller's own and those of others; clients check this before a push. */
export async function verifyLocks(db: Database, access: GitAccess, filter: LockFilter) {
  const { rows, next } = await page(db.read, access.subject.project.id, filter);
  const mine = (lock: FoundLock) => lock.user_id === access.actor.user?.id;
  return {
    ours: rows.filter(mine).map(present),
    theirs: rows.filter((lock) => !mine(lock)).map(present),
    ...(next === undefined ? {} : { next_cursor: next }),
  };
}

/** Locks a path for the caller. Throws 409 with the existing lock. */
export async function createLock(
  db: Database,
  { actor, subject }: GitAccess,
  path: unknown,
): Promise<{ lock: LockEntity }> {
  if (typeof path !== 'string' || path === '' || path.length > 4096) throw new LfsRefusal(422, 'The path is missing');
  if (!actor.user) throw new LfsRefusal(403, 'You have no permissions');
  const { project } = subject;
  const row = { project_id: project.id, user_id: actor.user.id, path, created_at: Date.now() };
  try {
    const id = await db.write((trx) => insertLock(trx, row));
    return { lock: present({ ...row, id, name: actor.user.name }) };
  } catch (error) {
    if (!uniqueViolation(error)) throw error;
    const lock = await locksOf(db.read, project.id).where('l.path', '=', path).executeTakeFirst();
    throw new LfsRefusal(409, 'already locked', lock ? { lock: present(lock) } : {});
  }
}

/** Deletes a lock of the caller, or with `force` that of another user. */
export async function deleteLock(
  db: Database,
  { actor, subject }: GitAccess,
  id: string,
  force: boolean,
): Promise<{ lock: LockEntity }> {
  const number = /^\d{1,15}$/.test(id) ? Number(id) : 0;
  const lock = await locksOf(db.read, subject.project.id).where('l.id', '=', number).executeTakeFirst();
  if (!lock) throw new LfsRefusal(404, 'Lock not found');
  if (lock.user_id !== actor.user?.id) {
    if (!force) throw new LfsRefusal(403, `'${lock.path}' is locked by ${lock.name}`);
    const { admin, level } = subject.standing;
    if (!admin && level < Role.maintainer) {
      throw new LfsRefusal(403, 'You must have maintainer access to force delete a lock');
    }
  }
  await db.write((trx) => removeLock(trx, lock.id));
  return { lock: present(lock) };
}
