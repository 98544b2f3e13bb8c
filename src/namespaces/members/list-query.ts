import { type Expression, type SqlBool, sql } from 'kysely';
import { type Actor, isAdmin } from '../../access/actor.ts';
import {
  belongs,
  columnsOf,
  namespaceOf,
  type OwnerColumns,
  type ProjectOrGroup,
} from '../../access/project-or-group.ts';
import { userSearch } from '../../access/search.ts';
import { type Viewer, viewerOf } from '../../access/visible.ts';
import { contains, sameIgnoringCase } from '../../platform/database/expressions.ts';
import { type AskedOf, form } from '../../platform/database/form.ts';
import { type Searching, searchFor, searchLists, searchValues } from '../../platform/database/search-index.ts';
import { shaped, shapedList } from '../../platform/database/shaped.ts';
import { inForce } from './store.ts';
import { waysTo } from './ways.ts';

/** A role that a user holds in a place, and where it comes from. */
export interface Held {
  user_id: number;
  access_level: number;
  expires_at: number | null;
  created_at: number;
  created_by_id: number | null;
  /** The group that it comes from; null where it is of a project itself. */
  source_id: number | null;
}

export interface MemberFilter {
  readonly query?: string;
  readonly user_ids?: readonly number[];
  readonly skip_users?: readonly number[];
  readonly show_seat_info?: boolean;
  readonly state?: 'awaiting' | 'active';
}

/** What members are asked for with. */
interface MemberQuestion extends Viewer, OwnerColumns, Searching {
  /** The namespace that roles are inherited through. */
  readonly namespace: number;
  readonly search?: string | undefined;
  /** An address is found whole, and only by those who may see it anyway. */
  readonly address: 'email' | 'public_email';
  readonly only?: readonly number[] | undefined;
  readonly skip?: readonly number[] | undefined;
  readonly state?: MemberFilter['state'];
  /** Those too whose time has run out. */
  readonly ended?: boolean;
}

const memberQuestion = form<MemberQuestion>()({
  values: ['user', 'now', 'namespace_id', 'project_id', 'namespace', 'search', ...searchValues],
  lists: ['only', 'skip', ...searchLists],
});
type MemberAsk = AskedOf<typeof memberQuestion>;

const unlessEmpty = (ids: readonly number[] | undefined) => (ids && ids.length > 0 ? ids : undefined);

export function questionOf(actor: Actor, place: ProjectOrGroup, filter: MemberFilter = {}): MemberQuestion {
  const search = filter.query || undefined;
  return {
    ...viewerOf(actor),
    ...columnsOf(place),
    namespace: namespaceOf(place).id,
    search,
    // An address is not among the texts of the index.
    ...searchFor(search?.includes('@') ? undefined : search),
    address: isAdmin(actor) ? 'email' : 'public_email',
    only: unlessEmpty(filter.user_ids),
    skip: unlessEmpty(filter.skip_users),
    state: filter.state,
  };
}

function narrowing({ search, address, only, skip, state }: MemberAsk): Expression<SqlBool>[] {
  const conditions: Expression<SqlBool>[] = [];
  if (search) {
    const matches = [
      contains(sql.ref<string>('users.name'), search),
      contains(sql.ref<string>('users.username'), search),
      sameIgnoringCase(sql.ref<string>(`users.${address}`), search),
    ];
    conditions.push(sql<SqlBool>`(${sql.join(matches, sql` or `)})`);
  }
  if (only) conditions.push(sql<SqlBool>`users.id in ${only}`);
  if (skip) conditions.push(sql<SqlBool>`users.id not in ${skip}`);
  // Nobody waits for a seat here.
  if (state === 'awaiting') conditions.push(sql<SqlBool>`1 = 0`);
  return conditions;
}

const heldColumns = [
  'held.user_id',
  'held.access_level',
  'held.expires_at',
  'held.created_at',
  'held.created_by_id',
] as const;
const userColumns = ['users.email', 'users.kind', 'users.state'] as const;

/** The members of the place itself. */
export const directMembers = shapedList(memberQuestion, (db, ask, engine) => {
  const from = db.selectFrom('members as held').innerJoin('users', 'users.id', 'held.user_id');
  const query = userSearch
    .narrow(from, 'users.id', ask, engine)
    .select([...heldColumns, 'held.namespace_id as source_id', ...userColumns])
    .where(belongs('held', ask))
    .where((eb) => eb.and(narrowing(ask)))
    .orderBy('held.id');
  return ask.ended ? query : query.where(inForce('held', ask.now));
});

/** The numbers of all users who hold a role in the place, each once. */
export const holders = shapedList(memberQuestion, (db, ask, engine) => {
  const each = waysTo(db, ask).map(({ from }) => sql`select m.user_id from ${from}`);
  const from = db
    .selectFrom(sql<{ user_id: number }>`(${sql.join(each, sql` union `)})`.as('held'))
    .innerJoin('users', 'users.id', 'held.user_id');
  return userSearch
    .narrow(from, 'users.id', ask, engine)
    .select('held.user_id')
    .where((eb) => eb.and(narrowing(ask)))
    .orderBy('held.user_id');
});

/** For each of the users asked for the highest role they hold in the place, and among equals the nearest. */
export const highestRoles = shaped(memberQuestion, (db, ask) => {
  const each = waysTo(db, ask).map(
    ({ columns, distance, from }) =>
      sql`select ${columns}, ${distance} as distance from ${from} and m.user_id in ${ask.only}`,
  );
  const best = sql<Held>`(
    select * from (
      select roles.*, row_number() over (
        partition by user_id order by access_level desc, distance, member_id) as rank_of_role
      from (${sql.join(each, sql` union all `)}) roles) ranked
    where rank_of_role = 1)`;
  return db
    .selectFrom(best.as('held'))
    .innerJoin('users', 'users.id', 'held.user_id')
    .select([...heldColumns, 'held.source_id', ...userColumns])
    .orderBy('held.user_id');
});
