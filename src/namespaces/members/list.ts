import { type Actor, isAdmin } from '../../access/actor.ts';
import { namespaceOf, type ProjectOrGroup } from '../../access/project-or-group.ts';
import { Role } from '../../access/roles.ts';
import { userSearch } from '../../access/search.ts';
import type { Services } from '../../access/services.ts';
import type { User } from '../../access/tables.ts';
import { visibleGroupIds } from '../../access/visible-among.ts';
import { type BasicUserEntity, basicUsers } from '../../people/users/public.ts';
import type { Reader } from '../../platform/database/database.ts';
import { NotFound } from '../../platform/http/errors.ts';
import { Page, type PageRequest } from '../../platform/http/pagination.ts';
import { dayOrNull, instant } from '../../platform/http/schema.ts';
import { directMembers, type Held, highestRoles, holders, type MemberFilter, questionOf } from './list-query.ts';
import type { MemberEntity } from './schema.ts';

export type { MemberFilter } from './list-query.ts';

type MemberRow = Held & Pick<User, 'email' | 'kind' | 'state'>;

/** The members of the place itself. */
export async function listMembers(
  services: Services,
  actor: Actor,
  place: ProjectOrGroup,
  filter: MemberFilter,
  page: PageRequest,
): Promise<Page<MemberEntity>> {
  const question = questionOf(actor, place, filter);
  const { rows, total } = await userSearch.page(directMembers, services.db.read, question, page);
  return new Page(await presentMembers(services, actor, place, rows, filter.show_seat_info), total);
}

/** Everyone who has a role in the place, in whatever way, with the highest they have. */
export async function listAllMembers(
  services: Services,
  actor: Actor,
  place: ProjectOrGroup,
  filter: MemberFilter,
  page: PageRequest,
): Promise<Page<MemberEntity>> {
  const { read } = services.db;
  const { rows, total } = await userSearch.page(holders, read, questionOf(actor, place, filter), page);
  // Who is on the page is settled first: only for them is it worked out which of their roles counts.
  const user_ids = rows.map((row) => row.user_id);
  const members = user_ids.length === 0 ? [] : await highestRoles.all(read, questionOf(actor, place, { user_ids }));
  return new Page(await presentMembers(services, actor, place, members, filter.show_seat_info), total);
}

/** One member of the place: of its own, just `written`, or of `all` who have a role in it in whatever way. */
export async function getMember(
  services: Services,
  actor: Actor,
  place: ProjectOrGroup,
  userId: number,
  which: 'direct' | 'written' | 'all' = 'direct',
): Promise<MemberEntity> {
  const { read } = services.db;
  const question = questionOf(actor, place, { user_ids: [userId] });
  const row =
    which === 'all'
      ? await highestRoles.first(read, question)
      : // What was just written is shown even if it has ended with the day that was given.
        await directMembers.first(read, { ...question, ended: which === 'written' });
  const [member] = row ? await presentMembers(services, actor, place, [row]) : [];
  if (!member) throw NotFound.record();
  return member;
}

/** Of the groups that roles come from, those the viewer may know of. */
async function knownSources(
  db: Reader,
  actor: Actor,
  place: ProjectOrGroup,
  rows: readonly MemberRow[],
): Promise<Set<number>> {
  const here = namespaceOf(place).id;
  const others = new Set(rows.map((row) => row.source_id ?? here).filter((id) => id !== here));
  if (others.size === 0) return new Set([here]);
  return new Set([here, ...(await visibleGroupIds(db, actor, [...others]))]);
}

async function presentMembers(
  { db, externalUrl }: Services,
  actor: Actor,
  place: ProjectOrGroup,
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
