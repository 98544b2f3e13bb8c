import { type Expression, type Kysely, sql } from 'kysely';
import type { Reader } from '../platform/database/database.ts';
import { type Param, statement } from '../platform/database/statement.ts';
import type { Tables } from '../platform/database/tables.ts';

/** The roles of one user in one place, by where they come from. */
export interface Levels {
  /** Of a membership in the project or group itself. */
  readonly direct: number;
  /** Inherited from groups above, or lent through an invited group. */
  readonly inherited: number;
  readonly highest: number;
}

export const noLevels: Levels = { direct: 0, inherited: 0, highest: 0 };

/** A role as a row has it, with the days after which it no longer counts. */
interface Held {
  own: number;
  level: number;
  share_ends: number | null;
  member_ends: number | null;
}

const least = (a: string, b: string) =>
  sql<number>`case when ${sql.ref(a)} < ${sql.ref(b)} then ${sql.ref(a)} else ${sql.ref(b)} end`;

type Db = Kysely<Tables>;
type Of = { user: number; namespace: number };
type OfProject = Of & { project: number };
type Named = (name: keyof Of) => Expression<number>;

const never = sql<number | null>`cast(null as bigint)`;

// `cross join` keeps SQLite to the order written: from the place asked about, which has few groups above it, to the
// members by group and user. It would start from all memberships of the user otherwise, and a bot has thousands.

/** Memberships of the user in the namespace and those above it. */
function fromGroups(db: Db, param: Named) {
  return db
    .selectFrom('namespace_ancestors as a')
    .crossJoin('members as m')
    .whereRef('m.namespace_id', '=', 'a.ancestor_id')
    .select([
      sql<number>`case when a.depth = 0 then 2 else 0 end`.as('own'),
      'm.access_level as level',
      never.as('share_ends'),
      'm.expires_at as member_ends',
    ])
    .where('a.namespace_id', '=', param('namespace'))
    .where('m.user_id', '=', param('user'));
}

/** Groups invited to the namespace or one above it, in which the user has a role: the lower of the two counts. */
function fromInvitedGroups(db: Db, param: Named) {
  return db
    .selectFrom('namespace_ancestors as a')
    .crossJoin('group_shares as s')
    .whereRef('s.namespace_id', '=', 'a.ancestor_id')
    .crossJoin('namespace_ancestors as g')
    .whereRef('g.namespace_id', '=', 's.with_namespace_id')
    .crossJoin('members as m')
    .whereRef('m.namespace_id', '=', 'g.ancestor_id')
    .select([
      sql<number>`0`.as('own'),
      least('s.access_level', 'm.access_level').as('level'),
      's.expires_at as share_ends',
      'm.expires_at as member_ends',
    ])
    .where('a.namespace_id', '=', param('namespace'))
    .where('m.user_id', '=', param('user'));
}

const inGroup = statement((db, param: Param<Of>) => fromGroups(db, param).unionAll(fromInvitedGroups(db, param)), {
  remembered: true,
});

const inProject = statement(
  (db, param: Param<OfProject>) =>
    db
      .selectFrom('members as m')
      .select([
        sql<number>`1`.as('own'),
        'm.access_level as level',
        never.as('share_ends'),
        'm.expires_at as member_ends',
      ])
      .where('m.project_id', '=', param('project'))
      .where('m.user_id', '=', param('user'))
      .unionAll(fromGroups(db, param))
      .unionAll(fromInvitedGroups(db, param))
      .unionAll(
        db
          .selectFrom('project_shares as s')
          .crossJoin('namespace_ancestors as g')
          .whereRef('g.namespace_id', '=', 's.with_namespace_id')
          .crossJoin('members as m')
          .whereRef('m.namespace_id', '=', 'g.ancestor_id')
          .select([
            sql<number>`0`.as('own'),
            least('s.access_level', 'm.access_level').as('level'),
            's.expires_at as share_ends',
            'm.expires_at as member_ends',
          ])
          .where('s.project_id', '=', param('project'))
          .where('m.user_id', '=', param('user')),
      ),
  { remembered: true },
);

function summarize(held: readonly Held[], own: number, now: number): Levels {
  let direct = 0;
  let inherited = 0;
  for (const row of held) {
    if ((row.share_ends !== null && row.share_ends <= now) || (row.member_ends !== null && row.member_ends <= now)) {
      continue;
    }
    if (row.own === own) direct = Math.max(direct, row.level);
    else inherited = Math.max(inherited, row.level);
  }
  return { direct, inherited, highest: Math.max(direct, inherited) };
}

/** The user's roles in a project. */
export async function projectLevels(
  db: Reader,
  user: number,
  project: { id: number; namespace_id: number },
): Promise<Levels> {
  const held = await inProject.all(db, { user, project: project.id, namespace: project.namespace_id });
  return held.length === 0 ? noLevels : summarize(held, 1, Date.now());
}

/** The user's roles in a group. */
export async function groupLevels(db: Reader, user: number, namespace: number): Promise<Levels> {
  const held = await inGroup.all(db, { user, namespace });
  return held.length === 0 ? noLevels : summarize(held, 2, Date.now());
}

type OfMany = { user: number; projects: readonly number[]; namespaces: readonly number[]; now: number };

const inForce = (param: Param<OfMany>, ...tables: string[]) =>
  sql<boolean>`${sql.join(
    tables.map(
      (table) =>
        sql`(${sql.ref(`${table}.expires_at`)} is null or ${sql.ref(`${table}.expires_at`)} > ${param('now')})`,
    ),
    sql` and `,
  )}`;

/** Roles in many places at once; `place` is a project's number where `own` says so, else a namespace's. */
const inMany = statement((db, param: Param<OfMany>) =>
  db
    .selectFrom('members as m')
    .select([sql<number>`1`.as('own'), 'm.project_id as place', 'm.access_level as level'])
    .where('m.user_id', '=', param('user'))
    .where('m.project_id', 'in', param.ids('projects'))
    .where(inForce(param, 'm'))
    .unionAll(
      db
        .selectFrom('namespace_ancestors as a')
        .crossJoin('members as m')
        .whereRef('m.namespace_id', '=', 'a.ancestor_id')
        .select([sql<number>`0`.as('own'), 'a.namespace_id as place', 'm.access_level as level'])
        .where('a.namespace_id', 'in', param.ids('namespaces'))
        .where('m.user_id', '=', param('user'))
        .where(inForce(param, 'm')),
    )
    .unionAll(
      db
        .selectFrom('namespace_ancestors as a')
        .crossJoin('group_shares as s')
        .whereRef('s.namespace_id', '=', 'a.ancestor_id')
        .crossJoin('namespace_ancestors as g')
        .whereRef('g.namespace_id', '=', 's.with_namespace_id')
        .crossJoin('members as m')
        .whereRef('m.namespace_id', '=', 'g.ancestor_id')
        .select([
          sql<number>`0`.as('own'),
          'a.namespace_id as place',
          least('s.access_level', 'm.access_level').as('level'),
        ])
        .where('a.namespace_id', 'in', param.ids('namespaces'))
        .where('m.user_id', '=', param('user'))
        .where(inForce(param, 's', 'm')),
    )
    .unionAll(
      db
        .selectFrom('project_shares as s')
        .crossJoin('namespace_ancestors as g')
        .whereRef('g.namespace_id', '=', 's.with_namespace_id')
        .crossJoin('members as m')
        .whereRef('m.namespace_id', '=', 'g.ancestor_id')
        .select([
          sql<number>`2`.as('own'),
          's.project_id as place',
          least('s.access_level', 'm.access_level').as('level'),
        ])
        .where('s.project_id', 'in', param.ids('projects'))
        .where('m.user_id', '=', param('user'))
        .where(inForce(param, 's', 'm')),
    ),
);

/** The user's roles in several projects by their numbers, in one query. */
export async function levelsInProjects(
  db: Reader,
  user: number,
  projects: readonly { id: number; namespace_id: number }[],
): Promise<Map<number, Levels>> {
  const ids = projects.map(({ id }) => id);
  const namespaces = [...new Set(projects.map(({ namespace_id }) => namespace_id))];
  const direct = new Map<number, number>();
  const lent = new Map<number, number>();
  const inNamespace = new Map<number, number>();
  for (const { own, place, level } of await inMany.all(db, { user, projects: ids, namespaces, now: Date.now() })) {
    const found = own === 1 ? direct : own === 2 ? lent : inNamespace;
    found.set(place ?? 0, Math.max(found.get(place ?? 0) ?? 0, level));
  }
  return new Map(
    projects.map(({ id, namespace_id }) => {
      const own = direct.get(id) ?? 0;
      const inherited = Math.max(inNamespace.get(namespace_id) ?? 0, lent.get(id) ?? 0);
      return [id, { direct: own, inherited, highest: Math.max(own, inherited) }];
    }),
  );
}

/** The user's highest role in several groups by their numbers, in one query; 0 is left out. */
export async function levelsInGroups(
  db: Reader,
  user: number,
  namespaces: readonly number[],
): Promise<Map<number, number>> {
  const found = new Map<number, number>();
  for (const { place, level } of await inMany.all(db, { user, projects: [], namespaces, now: Date.now() })) {
    found.set(place ?? 0, Math.max(found.get(place ?? 0) ?? 0, level));
  }
  return found;
}
