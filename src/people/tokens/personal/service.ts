import { type Actor, isAdmin, type SignedInActor } from '../../../access/actor.ts';
import { findUser, takesNoToken } from '../../../access/credentials/identify.ts';
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
 * Makes a token for whoever asks. With a token only one of narrow scope, lest one that leaked make itself another that
 * may more; whoever is signed in by session has given their password.
 */
export async function createOwnToken(services: Services, caller: Actor, user: User, input: TokenInput) {
  if (user.kind !== 'human') throw new Forbidden();
  const isNarrow = input.scopes.every((scope) => narrowScopes.has(scope));
  if (caller.carrier !== 'session' && !isNarrow) throw new ParameterError('scopes does not have a valid value');
  return createTokenFor(services, user, input, null);
}

/** Makes a personal access token, by somebody else where one is named; the answer is the only one to hold its text. */
export async function createTokenFor(services: Services, user: User, input: TokenInput, by: User | null) {
  if (await takesNoToken(services.settings, user)) throw new Forbidden('Personal access tokens are disabled');
  const instance = await services.settings.read();
  const life = lifetimeOf(instance, user.kind);
  const expiresAt = expiryOrNever(input.expires_at, life);
  const tooFar = expiryProblem(expiresAt, life);
  if (tooFar) throw new Unprocessable(`Expiration date ${tooFar}`);
  const problems = tokenProblems(input, user.admin === 1);
  if (Object.keys(problems).length > 0) throw new Unprocessable(asSentence(problems));
  const { name, description = null, scopes } = input;
  const wanted = { userId: user.id, name, description, scopes, expiresAt, by };
  const issued = await services.db.write((trx) =>
    issueToken(services, trx, instance.personal_access_token_prefix, wanted),
  );
  return shownOnce(issued);
}

/** The caller's own tokens; for administrators everyone's. Those made to impersonate someone are not among them. */
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

/** The personal tokens of a user, or everyone's. */
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

/** A token that the caller may manage. Others do not learn whether there is one: 401 either way. */
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

/** The token that the request came with. */
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
