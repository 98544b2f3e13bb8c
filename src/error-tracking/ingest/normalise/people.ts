import { createHash } from 'node:crypto';
import type { EventUser, JsonObject } from '../../events/public.ts';
import { cleanObject } from './clean.ts';
import { type Given, isObject, objectOf, text } from './read.ts';

const known = ['id', 'username', 'email', 'ip_address'] as const;

/** Who met the error; null when the SDK does not say. `{{auto}}` stands for the address that the request came from. */
export function readUser(event: Given, peer: string | undefined): EventUser | null {
  const given = objectOf(event.user);
  const fields = {
    id: text(given.id, 255) ?? null,
    username: text(given.username, 255) ?? text(given.name, 255) ?? null,
    email: text(given.email, 255) ?? null,
    ip_address: addressOf(given.ip_address, event, peer),
  };
  const { id: _id, username: _username, email: _email, ip_address: _address, ...others } = given;
  const more: JsonObject = cleanObject(others) ?? {};
  const user = { ...more, ...fields };
  return known.some((name) => fields[name] !== null) || Object.keys(more).length > 0 ? user : null;
}

function addressOf(given: unknown, event: Given, peer: string | undefined): string | null {
  const sent = text(given, 64);
  if (sent === '{{auto}}') return peer ?? null;
  if (sent !== undefined) return sent;
  const { env } = objectOf(event.request);
  return (isObject(env) ? text(env.REMOTE_ADDR, 64) : undefined) ?? null;
}

/**
 * What tells one affected user from another: the first of id, name, e-mail and address that is given, with its kind
 * before it, so that an id is never taken for an address. Only a digest is counted by.
 */
export function identityOf(user: EventUser | null): string | null {
  if (!user) return null;
  const kind = known.find((name) => user[name] !== null && user[name] !== '');
  if (kind === undefined) return null;
  const value = kind === 'email' ? String(user.email).toLowerCase() : String(user[kind]);
  return createHash('sha256').update(`${kind}:${value}`).digest('hex').slice(0, 32);
}
