import type { Services } from '../../../access/services.ts';
import type { ProjectSubject } from '../../../access/subjects.ts';
import { nextInternalId } from '../../../namespaces/internal-ids/public.ts';
import type { Reader } from '../../../platform/database/database.ts';
import { foreignKeyViolation, uniqueViolation } from '../../../platform/database/errors.ts';
import { BadRequest, Conflict, NotFound } from '../../../platform/http/errors.ts';
import { Page, type PageRequest } from '../../../platform/http/pages/pagination.ts';
import { lengthProblem } from '../../../platform/http/parameters/too-long.ts';
import type { ParamsOf } from '../../../platform/http/params.ts';
import { instant } from '../../../platform/http/schema.ts';
import { userIdsProblem } from '../rules.ts';
import type { UserListRow } from '../tables.ts';
import { userLists } from './list.ts';
import type { ChangeParams, CreationParams, UserListEntity } from './schema.ts';
import * as store from './store.ts';

function present({ id, iid, project_id, name, user_xids, created_at, updated_at }: UserListRow): UserListEntity {
  return {
    id,
    iid: Number(iid),
    project_id,
    created_at: instant(created_at),
    updated_at: instant(updated_at),
    name,
    user_xids,
  };
}

async function requireList(db: Reader, { project }: ProjectSubject, iid: number): Promise<UserListRow> {
  const row = await store.listNumbered(db, project.id, iid);
  if (!row) throw NotFound.record();
  return row;
}

export async function listLists(
  { db }: Services,
  { project }: ProjectSubject,
  filters: ParamsOf<typeof userLists.params>,
  page: PageRequest,
): Promise<Page<UserListEntity>> {
  const order = { by: 'id', direction: 'asc' } as const;
  const { rows, total } = await userLists.page(db.read, { project: project.id }, filters, order, page);
  return new Page(rows, total).map(present);
}

export async function getList({ db }: Services, subject: ProjectSubject, iid: number): Promise<UserListEntity> {
  return present(await requireList(db.read, subject, iid));
}

function check({ name, user_xids }: { readonly name?: string; readonly user_xids?: string }): void {
  const problems: string[] = [];
  if (name?.trim() === '') problems.push("Name can't be blank");
  const lengthError = lengthProblem(name ?? '', 255);
  if (lengthError !== undefined) problems.push(`Name ${lengthError}`);
  // A list may be empty.
  const users = user_xids ? userIdsProblem(user_xids, 'user_xids') : undefined;
  if (users !== undefined) problems.push(`User xids ${users}`);
  if (problems.length > 0) throw BadRequest.plain(problems);
}

const asDuplicateNameError = (error: unknown) =>
  uniqueViolation(error) ? BadRequest.plain(['Name has already been taken']) : error;

export async function createList(
  { db }: Services,
  { project }: ProjectSubject,
  { name, user_xids }: CreationParams,
): Promise<UserListEntity> {
  check({ name, user_xids });
  const now = Date.now();
  const created = db.write(async (trx) => {
    const iid = await nextInternalId(trx, { project_id: project.id }, 'feature_flag_user_lists');
    return store.insertList(trx, { project_id: project.id, iid, name, user_xids, created_at: now, updated_at: now });
  });
  return present(
    await created.catch((error: unknown) => {
      throw asDuplicateNameError(error);
    }),
  );
}

export async function updateList(
  { db }: Services,
  subject: ProjectSubject,
  { iid, name, user_xids }: ChangeParams,
): Promise<UserListEntity> {
  const change = { ...(name === undefined ? {} : { name }), ...(user_xids === undefined ? {} : { user_xids }) };
  check(change);
  const changed = db.write(async (trx) => {
    const { id } = await requireList(trx, subject, iid);
    return store.updateList(trx, id, { ...change, updated_at: Date.now() });
  });
  return present(
    await changed.catch((error: unknown) => {
      throw asDuplicateNameError(error);
    }),
  );
}

/** Fails while a strategy uses the list: deleting it would silently disable the flag for these users. */
export async function deleteList({ db }: Services, subject: ProjectSubject, iid: number): Promise<void> {
  const deleted = db.write(async (trx) => {
    const { id } = await requireList(trx, subject, iid);
    await store.deleteList(trx, id);
  });
  await deleted.catch((error: unknown) => {
    throw foreignKeyViolation(error) ? new Conflict(['User list is associated with a strategy']) : error;
  });
}
