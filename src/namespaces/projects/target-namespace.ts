import type { Actor } from '../../access/actor.ts';
import { creationLevelsOf, mayCreateProject } from '../../access/creation-levels.ts';
import { ancestorsOf } from '../../access/namespaces.ts';
import { settingsAbove } from '../../access/stored-settings.ts';
import { groupSubject } from '../../access/subjects.ts';
import type { Namespace, Project, User } from '../../access/tables.ts';
import type { Reader } from '../../platform/database/database.ts';
import { type Param, statement } from '../../platform/database/statement.ts';
import { HttpError } from '../../platform/http/errors.ts';

const personalNamespace = statement((db, param: Param<{ user: number }>) =>
  db.selectFrom('namespaces').selectAll().where('owner_id', '=', param('user')),
);

/** The namespace of a user's own projects; bots have none. */
export function personalNamespaceOf(db: Reader, user: number): Promise<Namespace | undefined> {
  return personalNamespace.first(db, { user });
}

/** May the actor put a project there: into their own namespace, or into a group that lets them? */
export async function mayHold(db: Reader, actor: Actor, namespace: Namespace): Promise<boolean> {
  const { user } = actor;
  if (!user) return false;
  if (namespace.kind === 'user') return namespace.owner_id === user.id || user.admin === 1;
  const group = await groupSubject(db, actor, namespace);
  return mayCreateProject(group, creationLevelsOf(namespace).project);
}

/** Do the groups around a project let it be forked to that namespace? Some keep forks among themselves. */
export async function mayForkTo(
  db: Reader,
  source: Pick<Project, 'namespace_id'>,
  target: Namespace,
): Promise<boolean> {
  const around = await settingsAbove(db, source.namespace_id);
  const keeping = around.filter(({ settings }) => settings.prevent_forking_outside_group === true);
  if (keeping.length === 0) return true;
  const within = target.kind === 'group' ? await ancestorsOf(db, target.id) : [];
  return keeping.every(({ id }) => within.includes(id));
}

/** How many projects someone may have: refused when a personal namespace is full. */
export async function checkQuota(db: Reader, namespace: Namespace, owner: User): Promise<void> {
  if (namespace.kind !== 'user') return;
  const limit = owner.external === 1 ? 0 : owner.projects_limit;
  if (limit === 0) {
    throw quota('You cannot create projects in your personal namespace. Contact your GitLab administrator.');
  }
  const last = await db
    .selectFrom('projects')
    .select('id')
    .where('namespace_id', '=', namespace.id)
    .orderBy('id')
    .limit(1)
    .offset(limit - 1)
    .executeTakeFirst();
  if (last) throw quota(`You've reached your limit of ${limit} projects created. Contact your GitLab administrator.`);
}

function quota(text: string): HttpError {
  return new HttpError(403, { error: [text] });
}
