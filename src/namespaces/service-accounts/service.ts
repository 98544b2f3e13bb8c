import { type Actor, isAdmin, type SignedInActor } from '../../access/actor.ts';
import { isProject, type ProjectOrGroup } from '../../access/project-or-group.ts';
import type { Services } from '../../access/services.ts';
import type { AccessToken, User } from '../../access/tables.ts';
import {
  asSentence,
  createTokenFor,
  findToken,
  listTokensOf,
  presentToken,
  revokeToken,
  rotateToken,
  type TokenInput,
  type TokenListParams,
} from '../../people/tokens/public.ts';
import {
  changeServiceAccount,
  createServiceAccount,
  deleteUser,
  type ServiceAccountInput,
  scheduleRemoval,
} from '../../people/users/public.ts';
import type { Writer } from '../../platform/database/database.ts';
import type { Slice } from '../../platform/database/paging.ts';
import { BadRequest, Conflict, Forbidden, Invalid, NotFound } from '../../platform/http/errors.ts';
import { Page } from '../../platform/http/pages/pagination.ts';
import { checkHeldRoles } from '../member-roles/public.ts';
import { directMember, mayGrant } from '../members/public.ts';
import { accounts, accountsOf, findAccount, type Home } from './list.ts';
import type { ServiceAccountEntity } from './schema.ts';

/** Without a group or project, the accounts of the instance are meant. */
export type Place = ProjectOrGroup | undefined;

function homeOf(place: Place): Home {
  if (!place) return { of: 'instance', id: 0 };
  return isProject(place) ? { of: 'project', id: place.project.id } : { of: 'group', id: place.group.id };
}

function present({ id, username, name, email, public_email }: User): ServiceAccountEntity {
  return { id, username, name, email, public_email };
}

interface Order {
  readonly order_by: keyof typeof accounts.orders;
  readonly sort: 'asc' | 'desc';
}

export async function listAccounts({ db }: Services, place: Place, { order_by, sort }: Order, slice: Slice) {
  const order = { by: order_by, direction: sort };
  const { rows, total } = await accounts.page(db.read, homeOf(place), {}, order, slice);
  return new Page(rows, total).map(present);
}

async function find({ db }: Services, place: Place, id: number): Promise<User> {
  const found = await findAccount(db.read, homeOf(place), id);
  if (!found) throw new NotFound('User');
  return found;
}

export async function getAccount(services: Services, place: Place, id: number): Promise<ServiceAccountEntity> {
  return present(await find(services, place, id));
}

/** Reports validation errors as a single sentence. */
async function asSentenceError<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof Invalid) throw new BadRequest(asSentence(error.errors));
    if (error instanceof Conflict) throw new BadRequest((error.body as { message: string }).message);
    throw error;
  }
}

export async function createAccount(
  services: Services,
  { user }: SignedInActor,
  place: Place,
  input: ServiceAccountInput,
): Promise<ServiceAccountEntity> {
  const { of, id } = homeOf(place);
  const home = of === 'group' ? { provisioned_by_group_id: id } : of === 'project' ? { bot_project_id: id } : {};
  return present(await asSentenceError(createServiceAccount(services, user, home, input)));
}

export async function changeAccount(
  services: Services,
  place: Place,
  id: number,
  change: ServiceAccountInput,
): Promise<ServiceAccountEntity> {
  return present(await asSentenceError(changeServiceAccount(services, await find(services, place, id), change)));
}

export async function removeAccount(services: Services, place: Place, id: number, hard: boolean): Promise<void> {
  await deleteUser(services, await find(services, place, id), hard);
}

/** Removes the service accounts of a deleted group; their contributions inside it are already deleted. */
export async function removeAccountsOf(services: Services, trx: Writer, group: number): Promise<void> {
  for (const account of await accountsOf(trx, group)) await scheduleRemoval(services, trx, account, false);
}

export async function listAccountTokens(
  services: Services,
  place: Place,
  id: number,
  params: TokenListParams,
  slice: Slice,
) {
  const { id: user } = await find(services, place, id);
  return (await listTokensOf(services, user, params, slice)).map(presentToken);
}

/** A token grants the role of its account, so the caller must be allowed to grant that role. */
async function checkRole({ db }: Services, actor: Actor, place: Place, account: User): Promise<void> {
  if (!place || isAdmin(actor)) return;
  const member = await directMember(db.read, place, account.id);
  if (!member) return;
  if (!mayGrant(place.standing, member.access_level)) {
    throw new Forbidden('The service account has a higher role than you');
  }
  await checkHeldRoles(db.read, place, [member]);
}

export async function createAccountToken(
  services: Services,
  actor: Actor,
  place: Place,
  id: number,
  input: TokenInput,
) {
  const account = await find(services, place, id);
  await checkRole(services, actor, place, account);
  return createTokenFor(services, account, input, actor.user);
}

async function tokenOf(services: Services, account: User, id: number): Promise<AccessToken> {
  const token = await findToken(services.db.read, id);
  if (token?.user_id !== account.id || token.impersonation === 1) throw new NotFound('Personal Access Token');
  return token;
}

export async function rotateAccountToken(
  services: Services,
  actor: Actor,
  place: Place,
  { user_id, token_id, expires_at }: { user_id: number; token_id: number; expires_at?: string },
) {
  const account = await find(services, place, user_id);
  await checkRole(services, actor, place, account);
  const { row, token } = await rotateToken(services, actor, await tokenOf(services, account, token_id), expires_at);
  return { ...presentToken(row), token };
}

export async function revokeAccountToken(
  services: Services,
  actor: Actor,
  place: Place,
  user: number,
  id: number,
): Promise<void> {
  const token = await tokenOf(services, await find(services, place, user), id);
  await services.db.write((trx) => revokeToken(services, trx, token.id, actor.user));
}
