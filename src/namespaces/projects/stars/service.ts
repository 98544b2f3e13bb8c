import { type Actor, isAdmin, type SignedInActor } from '../../../access/actor.ts';
import type { Services } from '../../../access/services.ts';
import type { ProjectSubject } from '../../../access/subjects.ts';
import type { Project } from '../../../access/tables.ts';
import { presentBasicUser } from '../../../people/users/public.ts';
import { NotFound, NotModified } from '../../../platform/http/errors.ts';
import { Page, type PageRequest } from '../../../platform/http/pages/pagination.ts';
import { instant } from '../../../platform/http/schema.ts';
import { findProject, incrementCounter } from '../store.ts';
import { starrers } from './list.ts';
import type { StarrerEntity } from './schema.ts';
import { deleteStar, insertStar } from './store.ts';

/** Stars or unstars a project; 304 if nothing changes. */
export async function starProject(
  { db }: Services,
  { user }: SignedInActor,
  { project: { id } }: ProjectSubject,
  star: boolean,
): Promise<Project> {
  return db.write(async (trx) => {
    const changed = await (star ? insertStar : deleteStar)(trx, user.id, id);
    if (!changed) throw new NotModified();
    await incrementCounter(trx, id, 'star_count', star ? 1 : -1);
    const project = await findProject(trx, id);
    if (!project) throw new NotFound('Project');
    return project;
  });
}

/** Lists the starrers of a project; private profiles are omitted. */
export async function listStarrers(
  { db, externalUrl }: Services,
  actor: Actor,
  { project }: ProjectSubject,
  search: string | undefined,
  slice: PageRequest,
): Promise<Page<StarrerEntity>> {
  const scope = { project: project.id, admin: isAdmin(actor), viewer: actor.user?.id };
  const latestFirst = { by: 'starred_since', direction: 'desc' } as const;
  const { rows, total } = await starrers.page(db.read, scope, { search }, latestFirst, slice);
  return new Page(rows, total).map(({ starred_at, ...user }) => ({
    starred_since: instant(starred_at),
    user: presentBasicUser(user, externalUrl),
  }));
}
