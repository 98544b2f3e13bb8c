import { adminScopes, tokenScopes } from '../../access/credentials/scopes.ts';
import type { Services } from '../../access/services.ts';
import type { User } from '../../access/tables.ts';
import { createTokenFor } from '../../people/tokens/public.ts';
import { HttpError } from '../../platform/http/errors.ts';
import { GitRefusal } from '../transport/public.ts';
import type { AccountCommand } from './recovery-codes.ts';

/** What somebody asks a token for, and how many days it is to live. */
export interface TokenRequest {
  readonly name: string;
  readonly scopes: readonly string[];
  readonly days: number;
}

const defaultDays = 30;
const day = 86_400_000;
// A key alone lets nobody act as somebody else: those scopes are for who has given a password.
const available: readonly string[] = tokenScopes.filter((scope) => !adminScopes.has(scope));

/** Reads `<name> <scope1[,scope2,...]> [ttl_days]`; a text says what is wrong with it. */
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

/** `personal_access_token`: for a script that has the key of somebody and shall call the API for them. */
export async function makeAccessToken(command: AccountCommand, args: readonly string[]): Promise<number> {
  const { services, holder, channel } = command;
  const { user } = holder.actor;
  if (!user) throw GitRefusal.forbidden('A deploy key is nobody: it has no access tokens.');
  // Whoever signs certificates of a group is not trusted with more than the group.
  if (holder.within) throw GitRefusal.forbidden('A certificate of a group makes no access tokens.');
  const wanted = readTokenRequest(args);
  if (typeof wanted === 'string') throw GitRefusal.forbidden(wanted);
  const { token, scopes, expires_at } = await issue(services, user, wanted);
  const told = `Token:   ${token}\nScopes:  ${scopes.join(',')}\nExpires: ${expires_at}\n`;
  await new Promise<void>((resolve) => channel.write(told, () => resolve()));
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

/** A broken rule of tokens, as it is told at a terminal. */
function asRefusal(error: unknown): unknown {
  if (!(error instanceof HttpError)) return error;
  const { message } = error.body as { readonly message?: unknown };
  return typeof message === 'string' ? GitRefusal.forbidden(message) : error;
}
