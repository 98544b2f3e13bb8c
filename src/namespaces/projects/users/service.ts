import type { Services } from '../../../access/services.ts';
import type { ProjectSubject } from '../../../access/subjects.ts';
import { type BasicUserEntity, presentBasicUser } from '../../../people/users/public.ts';
import { Page, type PageRequest } from '../../../platform/http/pages/pagination.ts';
import { listPeople } from './list.ts';

interface UsersOptions {
  readonly search?: string | undefined;
  readonly skip_users?: readonly number[] | undefined;
}

/** The people of a project, inherited ones included. */
export async function listUsers(
  { db, externalUrl }: Services,
  { project }: ProjectSubject,
  { search, skip_users: skip }: UsersOptions,
  slice: PageRequest,
): Promise<Page<BasicUserEntity>> {
  const filter = { project: project.id, namespace: project.namespace_id, now: Date.now(), search, skip };
  const { rows, total } = await listPeople(db.read, filter, slice);
  return new Page(rows, total).map((row) => presentBasicUser(row, externalUrl));
}
