import { type Actor, isAdmin, type SignedInActor } from '../../../access/actor.ts';
import { arePersonalTokensDisabled, findUser } from '../../../access/credentials/identify.ts';
import type { Services } from '../../../access/services.ts';
import type { AccessToken, User } from '../../../access/tables.ts';
import type { Slice } from '../../../platform/database/paging.ts';
import {
  BadRequest,
  Forbidden,
  MethodNotAllowed,
  NotFound,
  ParameterError,
  Unauthorized,
  Unprocessable,
} from '../../../platform/http/errors.ts';
import { Page } from '../../../platform/http/pages/pagination.ts';
import { expiryOrNever, expiryProblem, lifetimeOf } from '../expiry.ts';
import { type TokenListParams, tokenOrder, tokens } from '../list.ts';
import { presentToken, presentUsed } from '../present.ts';
import { asSentence, tokenProblems } from '../rules.ts';
import { narrowScopes } from '../schema.ts';
import { type IssuedToken, issueToken, rotateToken as rotate, type TokenInput } from '../service.ts';
import { findToken, revokeToken as revoke } from '../store.ts';

const shownOnce = ({ row, token }: IssuedToken) => ({ ...presentToken(row), token });

/**
 * Creates a token for the caller. Requests authenticated by a token may only create tokens of narrow scope, so that a
 * leaked token cannot obtain more rights; a session has been authenticated with a password.
 */
export async function createOwnToken(services: Services, caller: Actor, user: User, input: TokenInput) {
  if (user.kind !== 'human') throw new Forbidden();
  const isNarrow = input.scopes.every((scope) => narrowScopes.has(scope));
  if (caller.carrier !== 'session' && !isNarrow) throw new ParameterError('scopes does not have a valid value');
  return createTokenFor(services, user, input, null);
}

/** Creates a personal access token, optionally on behalf of another user; only this response contains its secret. */
export async function createTokenFor(services: Services, user: User, input: TokenInput, by: User | null) {
  if (await arePersonalTokensDisabled(services.settings, user))
    throw new Forbidden('Personal access tokens are disabled');
  const instance = await services.settings.read();
  const life = lifetimeOf(instance, user.kind);
  const expiresAt = expiryOrNever(input.expires_at, life);
  const tooFar = expiryProblem(expiresAt, life);
  if (tooFar) throw new Unprocessable(`Expiration date ${tooFar}`);
  const problems = tokenProblems(input, user.admin === 1);
  if (Object.keys(problems).length > 0) throw new Unprocessable(asSentence(problems));
  const { name, description = null, scopes } = input;
  const attributes = { userId: user.id, name, description, scopes, expiresAt, by };
  const issued = await services.db.write((trx) =>
    issueToken(services, trx, instance.personal_access_token_prefix, attributes),
  );
  return shownOnce(issued);
}

/** Lists the caller's tokens or, for administrators, those of all users. Impersonation tokens are excluded. */
export async function listTokens(
  services: Services,
  caller: SignedInActor,
  { user_id, ...asked }: TokenListParams & { readonly user_id?: number },
  slice: Slice,
) {
  if (user_id !== undefined && user_id !== caller.user.id) {
    if (!isAdmin(caller)) throw new Unauthorized();
    if (!(await findUser(services.db.read, user_id))) throw new NotFound('User');
  }
  const user = user_id ?? (isAdmin(caller) ? undefined : caller.user.id);
  return (await listTokensOf(services, user, asked, slice)).map(presentUsed);
}

/** Lists the personal tokens of one or all users. */
export async function listTokensOf(
  { db }: Services,
  user: number | undefined,
  { sort, ...filters }: TokenListParams,
  slice: Slice,
) {
  const scope = { user, impersonation: false, now: Date.now() };
  const { rows, total } = await tokens.page(db.read, scope, filters, tokenOrder(sort), slice);
  return new Page(rows, total);
}

/** Returns a token that the caller may manage. Others get 401 whether or not it exists. */
async function manageable({ db }: Services, actor: Actor, id: number): Promise<AccessToken> {
  const token = await findToken(db.read, id);
  if (token && isOwnOrAdmin(actor, token)) return token;
  throw isAdmin(actor) ? new NotFound() : new Unauthorized();
}

function isOwnOrAdmin(actor: Actor, token: AccessToken): boolean {
  return isAdmin(actor) || (token.user_id === actor.user?.id && token.impersonation === 0);
}

export async function getToken(services: Services, actor: Actor, id: number) {
  return presentUsed(await manageable(services, actor, id));
}

/** Returns the token that authenticated the request. */
export function presentedToken(actor: Actor): AccessToken {
  if (!actor.token) throw new BadRequest('This endpoint requires token type to be a personal access token');
  return actor.token;
}

export async function rotateToken(services: Services, actor: Actor, id: number, expires_at: string | undefined) {
  return shownOnce(await rotate(services, actor, await manageable(services, actor, id), expires_at));
}

export async function rotatePresented(services: Services, actor: Actor, expires_at: string | undefined) {
  if (!actor.token) throw new MethodNotAllowed();
  return shownOnce(await rotate(services, actor, actor.token, expires_at));
}

export async function revokeToken(services: Services, actor: Actor, id: number): Promise<void> {
  const token = await findToken(services.db.read, id);
  if (!token) throw NotFound.record();
  if (!isOwnOrAdmin(actor, token)) throw new BadRequest('Not permitted to revoke');
  await services.db.write((trx) => revoke(services, trx, token.id, actor.user));
}

export async function revokePresented(services: Services, actor: Actor): Promise<void> {
  const { id } = presentedToken(actor);
  await services.db.write((trx) => revoke(services, trx, id));
}
