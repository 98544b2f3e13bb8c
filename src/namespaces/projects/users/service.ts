import type { Services } from '../../../access/services.ts';
import type { ProjectSubject } from '../../../access/subjects.ts';
import { type BasicUserEntity, presentBasicUser } from '../../../people/users/public.ts';
import { Page, type PageRequest } from '../../../platform/http/pages/pagination.ts';
import { projectUsers } from './list.ts';

interface UsersOptions {
  readonly search?: string | undefined;
  readonly skip_users?: number[] | undefined;
}

/** Lists all members of a project, including inherited ones. */
export async function listUsers(
  { db, externalUrl }: Services,
  { project }: ProjectSubject,
  { search, skip_users }: UsersOptions,
  slice: PageRequest,
): Promise<Page<BasicUserEntity>> {
  const scope = { project: project.id, namespace: project.namespace_id, now: Date.now() };
  const order = { by: 'id', direction: 'asc' } as const;
  const { rows, total } = await projectUsers.page(db.read, scope, { search, skip_users }, order, slice);
  return new Page(rows, total).map((row) => presentBasicUser(row, externalUrl));
}
