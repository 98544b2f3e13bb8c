import type { Actor, SignedInActor } from '../../access/actor.ts';
import { findUser, findUserByName } from '../../access/credentials/identify.ts';
import type { ProjectOrGroup } from '../../access/project-or-group.ts';
import type { Services } from '../../access/services.ts';
import type { User } from '../../access/tables.ts';
import type { Reader } from '../../platform/database/database.ts';
import { Conflict, HttpError, NotFound } from '../../platform/http/errors.ts';
import { Page, type PageRequest } from '../../platform/http/pages/pagination.ts';
import { checkUnmodified } from '../../platform/http/responses/precondition.ts';
import { allMembers, directMembers, highestRoles, scopeOf } from './list.ts';
import {
  addMember,
  addOrConflict,
  changeMember,
  checkGrantTo,
  endMembership,
  type Grant,
  setOverride,
} from './membership.ts';
import { presentMembers } from './present.ts';
import { checkNamed } from './rules.ts';
import type {
  AddMembersResultEntity,
  AllMemberListParams,
  MemberEntity,
  MemberListParams,
  NewMembersParams,
} from './schema.ts';
import { directMember, lockMembers } from './store.ts';
import { errorText, joinWords } from './wording.ts';

const byNumber = { by: 'id', direction: 'asc' } as const;

/** Lists the direct members of a project or group. */
export async function listMembers(
  services: Services,
  actor: Actor,
  subject: ProjectOrGroup,
  { id: _, show_seat_info, ...filters }: MemberListParams,
  page: PageRequest,
): Promise<Page<MemberEntity>> {
  const { rows, total } = await directMembers.page(services.db.read, scopeOf(actor, subject), filters, byNumber, page);
  return new Page(await presentMembers(services, actor, subject, rows, show_seat_info), total);
}

/** Lists all members, including inherited and invited ones, each with their highest role. */
export async function listAllMembers(
  services: Services,
  actor: Actor,
  subject: ProjectOrGroup,
  { id: _, show_seat_info, state, ...filters }: AllMemberListParams,
  page: PageRequest,
): Promise<Page<MemberEntity>> {
  const { read } = services.db;
  const scope = { ...scopeOf(actor, subject), waiting: state === 'awaiting' };
  const { rows, total } = await allMembers.page(read, scope, filters, byNumber, page);
  // The page of users is read first; their highest roles are computed for these users only.
  const users = rows.map((row) => row.user_id);
  const members = users.length === 0 ? [] : await highestRoles.all(read, { ...scope, users });
  const shown = await presentMembers(services, actor, subject, members, show_seat_info);
  return new Page(scope.waiting ? shown.map((member) => ({ ...member, membership_state: 'awaiting' })) : shown, total);
}

/** Returns one member: a `direct` one, one just `written`, or one of `all` including inherited members. */
export async function getMember(
  services: Services,
  actor: Actor,
  subject: ProjectOrGroup,
  userId: number,
  which: 'direct' | 'written' | 'all' = 'direct',
): Promise<MemberEntity> {
  const { read } = services.db;
  const scope = scopeOf(actor, subject);
  // A membership just written is returned even if its expiry date has already passed.
  const own = { ...scope, ended: which === 'written' };
  const [row] =
    which === 'all'
      ? await highestRoles.all(read, { ...scope, users: [userId] })
      : await directMembers.rows(read, own, { user_ids: [userId] }, byNumber, { offset: 0, perPage: 1 });
  const [member] = row ? await presentMembers(services, actor, subject, [row]) : [];
  if (!member) throw NotFound.record();
  return member;
}

async function userNamed(db: Reader, { user_id, username }: NewMembersParams): Promise<User> {
  const isNumber = user_id !== undefined && /^\d{1,15}$/.test(user_id.trim());
  const user = isNumber
    ? await findUser(db, Number(user_id))
    : username !== undefined
      ? await findUserByName(db, username.trim())
      : undefined;
  if (!user || user.kind === 'ghost' || user.kind === 'placeholder') throw new NotFound('User');
  return user;
}

/** `POST /members`: adds one or several users. */
export async function addMembers(
  services: Services,
  caller: SignedInActor,
  subject: ProjectOrGroup,
  params: NewMembersParams,
): Promise<AddMembersResultEntity> {
  const named = params.user_id ?? params.username ?? '';
  if (!named.includes(',')) {
    const user = await userNamed(services.db.read, params);
    await addByName(services, caller, subject, user, params);
    return getMember(services, caller, subject, user.id, 'written');
  }
  const parts = named.split(',').map((part) => part.trim());
  const names = new Set(parts.filter((part) => part !== ''));
  checkNamed(names);
  const problems: string[] = [];
  for (const name of names) {
    const one = params.user_id === undefined ? { ...params, username: name } : { ...params, user_id: name };
    const problem = await tryToAdd(services, caller, subject, one, name);
    if (problem !== undefined) problems.push(problem);
  }
  return problems.length === 0 ? { status: 'success' } : { status: 'error', message: joinWords(problems) };
}

async function tryToAdd(
  services: Services,
  caller: SignedInActor,
  subject: ProjectOrGroup,
  params: NewMembersParams,
  name: string,
) {
  let label = name;
  try {
    const user = await userNamed(services.db.read, params);
    label = user.username;
    await addByName(services, caller, subject, user, params);
    return undefined;
  } catch (error) {
    if (!(error instanceof HttpError)) throw error;
    return `${label}: ${errorText(error)}`;
  }
}

/** Adds a user who is not a member yet. */
async function addByName(
  services: Services,
  caller: SignedInActor,
  subject: ProjectOrGroup,
  user: User,
  grant: Grant,
): Promise<void> {
  checkGrantTo(subject, user, grant);
  await addOrConflict(services, async (trx) => {
    await lockMembers(trx, subject);
    if (await directMember(trx, subject, user.id)) throw new Conflict('Member already exists');
    await addMember(services, trx, caller, subject, user, grant);
  });
}

export async function updateMember(
  services: Services,
  caller: SignedInActor,
  subject: ProjectOrGroup,
  userId: number,
  grant: Grant,
): Promise<MemberEntity> {
  await services.db.write((trx) => changeMember(services, trx, caller, subject, userId, grant));
  return getMember(services, caller, subject, userId, 'written');
}

export async function removeMember(
  services: Services,
  caller: SignedInActor,
  subject: ProjectOrGroup,
  userId: number,
  { skip_subresources }: { readonly skip_subresources: boolean },
  http: Parameters<typeof checkUnmodified>[0],
): Promise<void> {
  const check = (changedAt: number) => checkUnmodified(http, changedAt);
  const removal = { userId, below: !skip_subresources, check };
  await services.db.write((trx) => endMembership(services, trx, caller, subject, removal));
}

/** Sets or clears the override of a role managed by a directory. */
export async function overrideMember(
  services: Services,
  caller: SignedInActor,
  subject: ProjectOrGroup,
  userId: number,
  override: boolean,
): Promise<MemberEntity> {
  await services.db.write((trx) => setOverride(services, trx, subject, userId, override));
  return getMember(services, caller, subject, userId);
}
