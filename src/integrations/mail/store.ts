import { sql } from 'kysely';
import { Role } from '../../access/roles.ts';
import type { Member, Project } from '../../access/tables.ts';
import { waysToWatch } from '../../planning/notification-settings/public.ts';
import type { Reader } from '../../platform/database/database.ts';
import { type Param, statement } from '../../platform/database/statement.ts';

const explicitSubscriptions = statement((db, param: Param<{ type: string; id: number }>) =>
  db
    .selectFrom('subscriptions')
    .select(['user_id', 'subscribed'])
    .where('target_type', '=', param('type'))
    .where('target_id', '=', param('id'))
    .limit(5000),
);

/** Returns explicit subscriptions to, and unsubscriptions from, an object. */
export function explicitSubscriptionsOf(
  db: Reader,
  type: string,
  id: number,
): Promise<{ readonly user_id: number; readonly subscribed: number }[]> {
  return explicitSubscriptions.all(db, { type, id });
}

/** Returns the subscribers of any of the labels, up to 5000. */
export async function labelSubscribers(db: Reader, labelIds: readonly number[], except: number): Promise<number[]> {
  const rows = await db
    .selectFrom('label_subscriptions')
    .select('user_id')
    .distinct()
    .where('label_id', 'in', labelIds)
    .where('user_id', '<>', except)
    .limit(5000)
    .execute();
  return rows.map(({ user_id }) => user_id);
}

interface Listening {
  readonly type: string;
  readonly id: number;
  readonly projectId: number;
  readonly actorId: number;
}

const listeners = statement((db, param: Param<Listening>) => {
  const [ofProject, ofGroups, ofAll] = waysToWatch(db, param('projectId'));
  const actor = param('actorId');
  return db
    .selectFrom('subscriptions')
    .select('user_id')
    .where('target_type', '=', param('type'))
    .where('target_id', '=', param('id'))
    .where('subscribed', '=', 1)
    .where('user_id', '<>', actor)
    .unionAll(ofProject.where('s.user_id', '<>', actor))
    .unionAll(ofGroups.where('s.user_id', '<>', actor))
    .unionAll(ofAll.where('s.user_id', '<>', actor))
    .limit(1);
});

/** Whether any user other than the actor is subscribed to an object or watches its project. */
export async function hasListeners(db: Reader, listening: Listening): Promise<boolean> {
  return (await listeners.first(db, listening)) !== undefined;
}

/** Returns the most recently active administrators. */
export function administrators(db: Reader, most: number): Promise<{ readonly id: number; readonly email: string }[]> {
  return db
    .selectFrom('users')
    .select(['id', 'email'])
    .where('admin', '=', 1)
    .where('state', '=', 'active')
    .where('kind', '=', 'human')
    .orderBy((eb) => eb.fn.coalesce('last_activity_at', eb.lit(0)), 'desc')
    .orderBy('id')
    .limit(most)
    .execute();
}

/** Returns the owner of a confirmed address: at most one user. */
export async function ownersOf(db: Reader, email: string): Promise<number[]> {
  const lower = email.toLowerCase();
  const rows = await db
    .selectFrom('users')
    .select('id as user_id')
    .where((eb) => eb(eb.fn<string>('lower', ['email']), '=', lower))
    .where('confirmed_at', 'is not', null)
    .union(
      db
        .selectFrom('emails')
        .select('user_id')
        .where((eb) => eb(eb.fn<string>('lower', ['email']), '=', lower))
        .where('confirmed_at', 'is not', null),
    )
    .execute();
  return rows.map(({ user_id }) => user_id);
}

/** Returns up to 100 members of a place, direct or inherited, with at least the given role. */
export function membersWithRole(
  db: Reader,
  place: { readonly projectId: number | null; readonly namespaceId: number | null; readonly above: readonly number[] },
  level: number,
): Promise<{ readonly email: string; readonly id: number }[]> {
  return (
    db
      .selectFrom('members as m')
      // SQLite keeps the order of a cross join; otherwise it would scan all active users.
      .crossJoin('users as u')
      .select(['u.id', 'u.email'])
      .distinct()
      .whereRef('u.id', '=', 'm.user_id')
      .where((eb) =>
        eb.or([
          place.projectId === null
            ? eb('m.namespace_id', '=', place.namespaceId)
            : eb('m.project_id', '=', place.projectId),
          ...(place.above.length > 0 ? [eb('m.namespace_id', 'in', place.above)] : []),
        ]),
      )
      .where('m.access_level', '>=', level)
      .where('u.kind', '=', 'human')
      .where('u.state', '=', 'active')
      .where('u.confirmed_at', 'is not', null)
      .orderBy('u.id')
      .limit(100)
      .execute()
  );
}

const tables = {
  Issue: 'issues',
  MergeRequest: 'merge_requests',
  Epic: 'epics',
  Commit: 'noted_commits',
  Snippet: 'snippets',
} as const;

/** Whether both the user and the object still exist. */
export async function isPresent(db: Reader, userId: number, type: keyof typeof tables, id: number): Promise<boolean> {
  const user = await db.selectFrom('users').select('id').where('id', '=', userId).executeTakeFirst();
  const target = user && (await db.selectFrom(tables[type]).select('id').where('id', '=', id).executeTakeFirst());
  return target !== undefined;
}

/** Returns open issues due on a day, ordered by ID, in projects where they can be worked on. */
export function issuesDueOn(
  db: Reader,
  day: string,
  after: number,
  most: number,
): Promise<{ readonly id: number; readonly author_id: number }[]> {
  return db
    .selectFrom('issues')
    .innerJoin('projects', 'projects.id', 'issues.project_id')
    .select(['issues.id', 'issues.author_id'])
    .where('issues.state', '=', sql.lit('opened'))
    .where('issues.due_date', '=', day)
    .where('issues.id', '>', after)
    .where('projects.archived', '=', 0)
    .where('projects.marked_for_deletion_at', 'is', null)
    .orderBy('issues.id')
    .limit(most)
    .execute();
}

/** Returns the memberships that end on a day, ordered by ID. */
export function membersEndingOn(db: Reader, day: string, after: number, most: number): Promise<Member[]> {
  return db
    .selectFrom('members')
    .selectAll()
    .where('expires_at', '=', Date.parse(day))
    .where('id', '>', after)
    .orderBy('id')
    .limit(most)
    .execute();
}

/** Returns the projects of a group and its subgroups, ordered by ID. */
export function projectsBelow(
  db: Reader,
  groupId: number,
  after: number,
  most: number,
): Promise<{ readonly id: number; readonly full_path: string }[]> {
  return db
    .selectFrom('namespace_ancestors as a')
    .innerJoin('projects as p', 'p.namespace_id', 'a.namespace_id')
    .innerJoin('namespaces as n', 'n.id', 'p.namespace_id')
    .select(['p.id', sql<string>`n.full_path || '/' || p.path`.as('full_path')])
    .where('a.ancestor_id', '=', groupId)
    .where('p.marked_for_deletion_at', 'is', null)
    .where('p.id', '>', after)
    .orderBy('p.id')
    .limit(most)
    .execute();
}

const maxMembers = 5000;

/** Returns the direct and inherited members of a project. */
export async function membersAround(
  db: Reader,
  { id, namespace_id }: Pick<Project, 'id' | 'namespace_id'>,
): Promise<number[]> {
  const around = db.selectFrom('namespace_ancestors').select('ancestor_id').where('namespace_id', '=', namespace_id);
  const rows = await db
    .selectFrom('members')
    .select('user_id')
    .where('project_id', '=', id)
    .union(db.selectFrom('members').select('user_id').where('namespace_id', 'in', around))
    .limit(maxMembers)
    .execute();
  return rows.map(({ user_id }) => user_id);
}

const maxMaintainers = 50;

/** Returns the maintainers of a project: its direct members and those of its group. */
export function maintainersOf(
  db: Reader,
  { id, namespace_id }: Pick<Project, 'id' | 'namespace_id'>,
): Promise<{ id: number; email: string }[]> {
  return db
    .selectFrom('members')
    .crossJoin('users')
    .select(['users.id', 'users.email'])
    .distinct()
    .whereRef('users.id', '=', 'members.user_id')
    .where((eb) => eb.or([eb('members.project_id', '=', id), eb('members.namespace_id', '=', namespace_id)]))
    .where('members.access_level', '>=', Role.maintainer)
    .where('users.kind', '=', 'human')
    .where('users.state', '=', 'active')
    .orderBy('users.id')
    .limit(maxMaintainers)
    .execute();
}

/** Returns the final status of the previous finished pipeline of the same ref. */
export async function statusBefore(
  db: Reader,
  { id, project_id, ref, tag }: { readonly id: number; project_id: number; ref: string; tag: number },
): Promise<string | undefined> {
  const found = await db
    .selectFrom('pipelines')
    .select('status')
    .where('project_id', '=', project_id)
    .where('ref', '=', ref)
    .where('tag', '=', tag)
    .where('source', '!=', sql.lit('parent_pipeline'))
    .where('status', 'in', ['success', 'failed'])
    .where('id', '<', id)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
  return found?.status;
}
