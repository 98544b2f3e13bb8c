import { type Actor, isAdmin } from '../../access/actor.ts';
import { findUser, wasRevoked } from '../../access/identify.ts';
import { tokenSearch } from '../../access/search.ts';
import type { Services } from '../../access/services.ts';
import type { AccessToken, User } from '../../access/tables.ts';
import { revokeFamily } from '../../access/token-families.ts';
import type { Reader } from '../../platform/database/database.ts';
import type { Slice } from '../../platform/database/paging.ts';
import { BadRequest, MethodNotAllowed, NotFound, Unauthorized, Unprocessable } from '../../platform/http/errors.ts';
import { Page } from '../../platform/http/pagination.ts';
import { expiryOf, expiryOrNever, expiryProblem, lifetimeOf, rotatedLife } from './expiry.ts';
import { type IssuedToken, issue, revoke, rotate } from './issue.ts';
import { questionOf, type TokenFilter, tokenList } from './list-query.ts';
import { presentToken, presentUsed } from './present.ts';
import { asSentence, tokenProblems } from './rules.ts';

/** A token to be made for a user. */
export interface TokenInput {
  readonly name: string;
  readonly description?: string;
  readonly scopes: readonly string[];
  /** `YYYY-MM-DD`. */
  readonly expires_at?: string;
}

const shownOnce = ({ row, token }: IssuedToken) => ({ ...presentToken(row), token });

/** Makes a personal access token; the answer is the only one to hold its text. */
export async function createTokenFor(services: Services, user: User, input: TokenInput) {
  const instance = await services.settings.read();
  const life = lifetimeOf(instance);
  const expiresAt = expiryOrNever(input.expires_at, life);
  const tooFar = expiryProblem(expiresAt, life);
  if (tooFar) throw new Unprocessable(`Expiration date ${tooFar}`);
  const problems = tokenProblems(input, user.admin === 1);
  if (Object.keys(problems).length > 0) throw new Unprocessable(asSentence(problems));
  const { name, description, scopes } = input;
  const issued = await services.db.write((trx) =>
    issue(services, trx, instance.personal_access_token_prefix, {
      userId: user.id,
      name,
      description: description ?? null,
      scopes,
      expiresAt,
    }),
  );
  return shownOnce(issued);
}

/** The caller's own tokens; for administrators everyone's. Those made to impersonate someone are not among them. */
export async function listTokens(
  { db }: Services,
  actor: Actor,
  filter: TokenFilter & { user_id?: number },
  slice: Slice,
) {
  const own = actor.user as User;
  const { user_id } = filter;
  if (user_id !== undefined && user_id !== own.id) {
    if (!isAdmin(actor)) throw new Unauthorized();
    if (!(await findUser(db.read, user_id))) throw new NotFound('User');
  }
  const user = user_id ?? (isAdmin(actor) ? undefined : own.id);
  const question = { ...questionOf(filter), user, impersonation: false };
  const { rows, total } = await tokenSearch.page(tokenList, db.read, question, slice);
  return new Page(rows, total).map(presentUsed);
}

function find(db: Reader, id: number): Promise<AccessToken | undefined> {
  return db.selectFrom('access_tokens').selectAll().where('id', '=', id).executeTakeFirst();
}

/** A token that the caller may manage. Others do not learn whether there is one: 401 either way. */
async function manageable({ db }: Services, actor: Actor, id: number): Promise<AccessToken> {
  const token = await find(db.read, id);
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
export function presented(actor: Actor): AccessToken {
  if (!actor.token) throw new BadRequest('This endpoint requires token type to be a personal access token');
  return actor.token;
}

export async function rotateToken(services: Services, actor: Actor, id: number, expires_at: string | undefined) {
  return shownOnce(await rotateChecked(services, actor, await manageable(services, actor, id), expires_at));
}

export async function rotatePresented(services: Services, actor: Actor, expires_at: string | undefined) {
  if (!actor.token) throw new MethodNotAllowed();
  return shownOnce(await rotateChecked(services, actor, actor.token, expires_at));
}

/** Rotates a token to a day of expiry that is checked first. */
export async function rotateChecked(
  services: Services,
  actor: Actor,
  token: AccessToken,
  expires_at: string | undefined,
): Promise<IssuedToken> {
  const instance = await services.settings.read();
  const life = lifetimeOf(instance);
  const expiresAt = expiryOf(expires_at, Math.min(rotatedLife, life.longest ?? rotatedLife));
  const tooFar = expiryProblem(expiresAt, life);
  if (tooFar) throw new BadRequest(`Expiration date ${tooFar}`);
  const issued = await services.db.write((trx) =>
    rotate(services, trx, instance.personal_access_token_prefix, token, expiresAt),
  );
  if (issued) return issued;
  if (actor.token?.id !== token.id) throw new BadRequest('Token already revoked');
  // The token was good when the request came in, and was rotated by another before this one: it is in two hands.
  await revokeFamily(services.db, token);
  throw wasRevoked();
}

export async function revokeToken({ db }: Services, actor: Actor, id: number): Promise<void> {
  const token = await find(db.read, id);
  if (!token) throw NotFound.record();
  if (!isOwnOrAdmin(actor, token)) throw new BadRequest('Not permitted to revoke');
  await db.write((trx) => revoke(trx, token.id));
}

export async function revokePresented({ db }: Services, actor: Actor): Promise<void> {
  const { id } = presented(actor);
  await db.write((trx) => revoke(trx, id));
}
