import { type Expression, type SqlBool, sql } from 'kysely';
import { type Actor, isAdmin } from '../../access/actor.ts';
import { Role } from '../../access/roles.ts';
import type { User } from '../../access/tables.ts';
import { visibleGroups } from '../../access/visible.ts';
import type { Reader } from '../../platform/database/database.ts';
import { contains, sameIgnoringCase } from '../../platform/database/expressions.ts';
import { fetchPage } from '../../platform/database/paging.ts';
import { NotFound } from '../../platform/http/errors.ts';
import { Page, type PageRequest } from '../../platform/http/pagination.ts';
import { dayOrNull, instant } from '../../platform/http/schema.ts';
import type { Services } from '../../platform/services.ts';
import { basicUsers } from '../users/present.ts';
import type { BasicUserEntity } from '../users/schema.ts';
import { type Held, highestRoles, holders } from './all-query.ts';
import { columnsOf, namespaceOf, type Place } from './place.ts';
import type { MemberEntity } from './schema.ts';
import { belongs, inForce } from './store.ts';

export interface MemberFilter {
  readonly query?: string;
  readonly user_ids?: readonly number[];
  readonly skip_users?: readonly number[];
  readonly show_seat_info?: boolean;
  readonly state?: 'awaiting' | 'active';
}

type MemberRow = Held & Pick<User, 'email' | 'kind' | 'state'>;

function directMembers(db: Reader, place: Place) {
  return db
    .selectFrom('members as held')
    .innerJoin('users', 'users.id', 'held.user_id')
    .select([
      'held.user_id',
      'held.access_level',
      'held.expires_at',
      'held.created_at',
      'held.created_by_id',
      'held.namespace_id as source_id',
      'users.email',
      'users.kind',
      'users.state',
    ])
    .where(belongs('held', columnsOf(place)));
}

function narrowing(actor: Actor, filter: MemberFilter): Expression<SqlBool>[] {
  const { query, user_ids = [], skip_users = [], state } = filter;
  const conditions: Expression<SqlBool>[] = [];
  if (query) {
    // An address is found whole, and only by those who may see it anyway.
    const address = sql.ref<string>(isAdmin(actor) ? 'users.email' : 'users.public_email');
    const matches = [
      contains(sql.ref<string>('users.name'), query),
      contains(sql.ref<string>('users.username'), query),
      sameIgnoringCase(address, query),
    ];
    conditions.push(sql<SqlBool>`(${sql.join(matches, sql` or `)})`);
  }
  if (user_ids.length > 0) conditions.push(sql<SqlBool>`users.id in (${sql.join([...user_ids])})`);
  if (skip_users.length > 0) conditions.push(sql<SqlBool>`users.id not in (${sql.join([...skip_users])})`);
  // Nobody waits for a seat here.
  if (state === 'awaiting') conditions.push(sql<SqlBool>`1 = 0`);
  return conditions;
}

/** The members of the place itself. */
export async function listMembers(
  services: Services,
  actor: Actor,
  place: Place,
  filter: MemberFilter,
  page: PageRequest,
): Promise<Page<MemberEntity>> {
  const query = directMembers(services.db.read, place)
    .where(inForce('held'))
    .where((eb) => eb.and(narrowing(actor, filter)))
    .orderBy('held.id');
  const { rows, total } = await fetchPage(services.db.read, query, page);
  return new Page(await presentMembers(services, actor, place, rows, filter.show_seat_info), total);
}

/** Everyone who has a role in the place, in whatever way, with the highest they have. */
export async function listAllMembers(
  services: Services,
  actor: Actor,
  place: Place,
  filter: MemberFilter,
  page: PageRequest,
): Promise<Page<MemberEntity>> {
  const { read } = services.db;
  const query = holders(read, actor, place)
    .where((eb) => eb.and(narrowing(actor, filter)))
    .orderBy('held.user_id');
  const { rows, total } = await fetchPage(read, query, page);
  // Who is on the page is settled first: only for them is it worked out which of their roles counts.
  const ids = rows.map((row) => row.user_id);
  const members = ids.length === 0 ? [] : await highestRoles(read, actor, place, ids).execute();
  return new Page(await presentMembers(services, actor, place, members, filter.show_seat_info), total);
}

/** One member of the place: of its own, just `written`, or of `all` who have a role in it in whatever way. */
export async function getMember(
  services: Services,
  actor: Actor,
  place: Place,
  userId: number,
  which: 'direct' | 'written' | 'all' = 'direct',
): Promise<MemberEntity> {
  const { read } = services.db;
  const own = directMembers(read, place).where('held.user_id', '=', userId);
  const row =
    which === 'all'
      ? await highestRoles(read, actor, place, [userId]).executeTakeFirst()
      : // What was just written is shown even if it has ended with the day that was given.
        await (which === 'direct' ? own.where(inForce('held')) : own).executeTakeFirst();
  const [member] = row ? await presentMembers(services, actor, place, [row]) : [];
  if (!member) throw NotFound.record();
  return member;
}

/** Of the groups that roles come from, those the viewer may know of. */
async function knownSources(db: Reader, actor: Actor, place: Place, rows: readonly MemberRow[]): Promise<Set<number>> {
  const here = namespaceOf(place).id;
  const others = new Set(rows.map((row) => row.source_id ?? here).filter((id) => id !== here));
  if (others.size === 0) return new Set([here]);
  const seen = await db
    .selectFrom('namespaces')
    .select('namespaces.id')
    .where('namespaces.id', 'in', [...others])
    .where((eb) => visibleGroups(eb, actor))
    .execute();
  return new Set([here, ...seen.map((group) => group.id)]);
}

async function presentMembers(
  { db, externalUrl }: Services,
  actor: Actor,
  place: Place,
  rows: readonly MemberRow[],
  seats = false,
): Promise<MemberEntity[]> {
  const [users, known] = await Promise.all([
    basicUsers(
      db.read,
      rows.flatMap((row) => [row.user_id, row.created_by_id]),
      externalUrl,
    ),
    knownSources(db.read, actor, place, rows),
  ]);
  return rows.map((row) => {
    const shown = row.source_id === null || known.has(row.source_id);
    const creator = row.created_by_id === null || !shown ? undefined : users.get(row.created_by_id);
    return {
      ...(users.get(row.user_id) as BasicUserEntity),
      access_level: row.access_level,
      created_at: instant(row.created_at),
      ...(creator ? { created_by: creator } : {}),
      expires_at: dayOrNull(row.expires_at),
      ...(isAdmin(actor) ? { email: row.email } : {}),
      ...(seats ? { is_using_seat: usesSeat(row) } : {}),
      membership_state: 'active',
    };
  });
}

function usesSeat({ kind, state, access_level }: MemberRow): boolean {
  return kind === 'human' && state === 'active' && access_level > Role.minimal;
}
