import type { SignedInActor } from '../../../access/actor.ts';
import type { Services } from '../../../access/services.ts';
import type { AccessToken, User } from '../../../access/tables.ts';
import type { Database } from '../../../platform/database/database.ts';
import type { Slice } from '../../../platform/database/paging.ts';
import { Invalid, NotFound } from '../../../platform/http/errors.ts';
import { Page } from '../../../platform/http/pages/pagination.ts';
import { dayToInstant } from '../../../platform/http/schema.ts';
import { expiryProblem, lifetimeOf } from '../expiry.ts';
import { tokenOrder, tokens } from '../list.ts';
import { presentToken } from '../present.ts';
import { tokenProblems } from '../rules.ts';
import { issueToken, type TokenInput } from '../service.ts';
import { findImpersonationToken, revokeToken } from '../store.ts';

const present = (token: AccessToken) => ({ ...presentToken(token), impersonation: true });

/** Lists the impersonation tokens of a user. */
export async function listImpersonationTokens(
  db: Database,
  user: number,
  state: 'all' | 'active' | 'inactive',
  slice: Slice,
) {
  const scope = { user, impersonation: true, now: Date.now() };
  const filters = state === 'all' ? {} : { state };
  const { rows, total } = await tokens.page(db.read, scope, filters, tokenOrder(), slice);
  return new Page(rows, total).map(present);
}

async function find(db: Database, user: number, id: number): Promise<AccessToken> {
  const token = await findImpersonationToken(db.read, user, id);
  if (!token) throw new NotFound('Impersonation Token');
  return token;
}

export async function getImpersonationToken(db: Database, user: number, id: number) {
  return present(await find(db, user, id));
}

/**
 * Creates an impersonation token. Unlike a personal token it requires an expiry date, and errors are reported by
 * attribute.
 */
export async function createImpersonationToken(
  services: Services,
  { user: by }: SignedInActor,
  user: User,
  input: Omit<TokenInput, 'scopes'> & { scopes?: readonly string[] },
) {
  const { name, description, scopes = [], expires_at } = input;
  const problems = tokenProblems({ name, description, scopes }, user.admin === 1);
  const expiresAt = expires_at === undefined ? null : dayToInstant(expires_at);
  const instance = await services.settings.read();
  const life = lifetimeOf(instance);
  const wrong = expiresAt === null && life.required ? "can't be blank" : expiryProblem(expiresAt, life);
  if (wrong) problems.expires_at = [wrong];
  if (Object.keys(problems).length > 0) throw new Invalid(problems);
  const { row, token } = await services.db.write((trx) =>
    issueToken(services, trx, instance.personal_access_token_prefix, {
      userId: user.id,
      name,
      description: description ?? null,
      scopes,
      expiresAt,
      impersonation: true,
      by,
    }),
  );
  return { ...present(row), token };
}

export async function revokeImpersonationToken(
  services: Services,
  { user: by }: SignedInActor,
  user: number,
  id: number,
): Promise<void> {
  const token = await find(services.db, user, id);
  await services.db.write((trx) => revokeToken(services, trx, token.id, by));
}
