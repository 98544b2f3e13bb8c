import type { Actor } from '../../access/actor.ts';
import { creationLevelsOf, mayCreateProject } from '../../access/namespaces/creation-levels.ts';
import type { Services } from '../../access/services.ts';
import { groupSubject } from '../../access/subjects.ts';
import type { Namespace, User } from '../../access/tables.ts';
import { mayHavePersonalProjects } from '../../people/users/public.ts';
import type { Reader } from '../../platform/database/database.ts';
import { HttpError } from '../../platform/http/errors.ts';
import { holdsAtLeast } from './store.ts';

/** Whether the actor may create projects in a namespace: their personal one, or a group that allows it. */
export async function mayCreateIn(db: Reader, actor: Actor, namespace: Namespace): Promise<boolean> {
  const { user } = actor;
  if (!user) return false;
  if (namespace.kind === 'user') return namespace.owner_id === user.id || user.admin === 1;
  const group = await groupSubject(db, actor, namespace);
  return mayCreateProject(group, creationLevelsOf(namespace).project);
}

/** Enforces the project limit of a personal namespace. */
export async function checkQuota(services: Services, db: Reader, namespace: Namespace, owner: User): Promise<void> {
  if (namespace.kind !== 'user') return;
  const limit = owner.external === 1 ? 0 : owner.projects_limit;
  if (limit === 0 || !(await mayHavePersonalProjects(services, db, owner))) {
    throw quota('You cannot create projects in your personal namespace. Contact your GitLab administrator.');
  }
  if (await holdsAtLeast(db, namespace.id, limit))
    throw quota(`You've reached your limit of ${limit} projects created. Contact your GitLab administrator.`);
}

function quota(text: string): HttpError {
  return new HttpError(403, { error: [text] });
}
