import { adminScopes, tokenScopes } from '../../access/credentials/scopes.ts';
import type { Services } from '../../access/services.ts';
import type { User } from '../../access/tables.ts';
import { createTokenFor } from '../../people/tokens/public.ts';
import { HttpError } from '../../platform/http/errors.ts';
import { GitRefusal } from '../transport/public.ts';
import type { AccountCommand } from './recovery-codes.ts';

/** Parameters of a token requested over SSH. */
export interface TokenRequest {
  readonly name: string;
  readonly scopes: readonly string[];
  readonly days: number;
}

const defaultDays = 30;
const day = 86_400_000;
// Admin scopes allow impersonation, for which an SSH key alone is not sufficient.
const available: readonly string[] = tokenScopes.filter((scope) => !adminScopes.has(scope));

/** Parses `<name> <scope1[,scope2,...]> [ttl_days]`. Returns the error message if invalid. */
export function readTokenRequest(args: readonly string[]): TokenRequest | string {
  const [name, list, lifetime = `${defaultDays}`] = args;
  if (name === undefined || list === undefined || args.length > 3) {
    return 'Usage: personal_access_token <name> <scope1[,scope2,...]> [ttl_days]';
  }
  const scopes = [...new Set(list.split(',').filter((scope) => scope !== ''))];
  const unknown = scopes.find((scope) => !available.includes(scope));
  if (unknown !== undefined) return `Invalid scope: '${unknown}'. Valid scopes are: ${available.join(', ')}`;
  if (!/^[1-9]\d{0,4}$/.test(lifetime)) return `Invalid value for days_ttl: '${lifetime}'`;
  return { name, scopes, days: Number(lifetime) };
}

/** Implements `personal_access_token`, which creates an access token for the owner of the SSH key. */
export async function createAccessToken(command: AccountCommand, args: readonly string[]): Promise<number> {
  const { services, holder, channel } = command;
  const { user } = holder.actor;
  if (!user) throw GitRefusal.forbidden('Deploy keys cannot create access tokens.');
  // The signer of a group's certificates must not gain access beyond the group.
  if (holder.within) throw GitRefusal.forbidden('Group SSH certificates cannot create access tokens.');
  const tokenRequest = readTokenRequest(args);
  if (typeof tokenRequest === 'string') throw GitRefusal.forbidden(tokenRequest);
  const { token, scopes, expires_at } = await issue(services, user, tokenRequest);
  const output = `Token:   ${token}\nScopes:  ${scopes.join(',')}\nExpires: ${expires_at}\n`;
  await new Promise<void>((resolve) => channel.write(output, () => resolve()));
  return 0;
}

async function issue(services: Services, user: User, { name, scopes, days }: TokenRequest) {
  const expires_at = new Date(Date.now() + days * day).toISOString().slice(0, 10);
  try {
    return await createTokenFor(services, user, { name, scopes, expires_at }, null);
  } catch (error) {
    throw asRefusal(error);
  }
}

/** Converts a validation error into a terminal message. */
function asRefusal(error: unknown): unknown {
  if (!(error instanceof HttpError)) return error;
  const { message } = error.body as { readonly message?: unknown };
  return typeof message === 'string' ? GitRefusal.forbidden(message) : error;
}
