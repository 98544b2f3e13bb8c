import Type, { type Static } from 'typebox';
import type { Actor } from '../../access/actor.ts';
import type { Reader, Writer } from '../../platform/database/database.ts';
import { NotFound } from '../../platform/http/errors.ts';
import { entity } from '../../platform/http/schema.ts';
import { findUserAgent, insertUserAgent, type Opened } from './store.ts';

export const UserAgentDetail = entity('UserAgentDetail', {
  user_agent: Type.String(),
  ip_address: Type.String(),
  akismet_submitted: Type.Boolean(),
});

/** Longer user agents are truncated. */
const maxUserAgentLength = 1000;

/** Records the user agent and IP address of the creator; items created by the server have none. */
export async function recordUserAgent(trx: Writer, caller: Actor, opened: Opened): Promise<void> {
  const { userAgent, ip } = caller;
  if (!userAgent || !ip) return;
  await insertUserAgent(trx, opened, { user_agent: userAgent.slice(0, maxUserAgentLength), ip_address: ip });
}

/** Returns the user agent details. Hearth never submits anything to Akismet. */
export async function userAgentDetail(db: Reader, opened: Opened): Promise<Static<typeof UserAgentDetail>> {
  const found = await findUserAgent(db, opened);
  if (!found) throw new NotFound('UserAgentDetail');
  const { user_agent, ip_address } = found;
  return { user_agent, ip_address, akismet_submitted: false };
}
