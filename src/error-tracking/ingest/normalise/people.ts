import { createHash } from 'node:crypto';
import type { EventUser, JsonObject } from '../../events/public.ts';
import { cleanObject } from './clean.ts';
import { isObject, objectOf, type RawObject, text } from './read.ts';

const identifyingFields = ['id', 'username', 'email', 'ip_address'] as const;

/** Reads the affected user; null if there is none. `{{auto}}` stands for the IP address of the request. */
export function readUser(event: RawObject, peer: string | undefined): EventUser | null {
  const raw = objectOf(event.user);
  const fields = {
    id: text(raw.id, 255) ?? null,
    username: text(raw.username, 255) ?? text(raw.name, 255) ?? null,
    email: text(raw.email, 255) ?? null,
    ip_address: addressOf(raw.ip_address, event, peer),
  };
  const { id: _id, username: _username, email: _email, ip_address: _address, ...others } = raw;
  const more: JsonObject = cleanObject(others) ?? {};
  const user = { ...more, ...fields };
  return identifyingFields.some((name) => fields[name] !== null) || Object.keys(more).length > 0 ? user : null;
}

function addressOf(raw: unknown, event: RawObject, peer: string | undefined): string | null {
  const sent = text(raw, 64);
  if (sent === '{{auto}}') return peer ?? null;
  if (sent !== undefined) return sent;
  const { env } = objectOf(event.request);
  return (isObject(env) ? text(env.REMOTE_ADDR, 64) : undefined) ?? null;
}

/**
 * Digest that identifies an affected user: the first of ID, user name, e-mail and IP address. It includes the kind of
 * value, so that an ID never equals an address.
 */
export function identityOf(user: EventUser | null): string | null {
  if (!user) return null;
  const kind = identifyingFields.find((name) => user[name] !== null && user[name] !== '');
  if (kind === undefined) return null;
  const value = kind === 'email' ? String(user.email).toLowerCase() : String(user[kind]);
  return createHash('sha256').update(`${kind}:${value}`).digest('hex').slice(0, 32);
}
