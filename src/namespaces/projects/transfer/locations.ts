import { isAdmin, type SignedInActor } from '../../../access/actor.ts';
import type { Services } from '../../../access/services.ts';
import type { ProjectSubject } from '../../../access/subjects.ts';
import { Page, type PageRequest } from '../../../platform/http/pages/pagination.ts';
import type { PublicGroupEntity } from '../../groups/public.ts';
import { presentPublicGroup } from '../../groups/public.ts';
import { listTransferLocations } from './list.ts';

/**
 * Lists the groups to which a project can be transferred. In its own file to avoid an import cycle between groups and
 * the transfer service.
 */
export async function findTransferLocations(
  { db, externalUrl }: Services,
  actor: SignedInActor,
  { project }: ProjectSubject,
  search: string | undefined,
  slice: PageRequest,
): Promise<Page<PublicGroupEntity>> {
  const user = actor.user.external === 0 ? actor.user.id : undefined;
  const scope = { namespace: project.namespace_id, admin: isAdmin(actor), user, now: Date.now() };
  const { rows, total } = await listTransferLocations(db.read, scope, search, slice);
  return new Page(rows, total).map((row) => presentPublicGroup(row, externalUrl));
}
