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

/** Longer ones say nothing that a person would read. */
const longest = 1000;

/** Notes with what something was opened; what the server opens by itself has nothing to note. */
export async function recordUserAgent(trx: Writer, caller: Actor, opened: Opened): Promise<void> {
  const { userAgent, ip } = caller;
  if (!userAgent || !ip) return;
  await insertUserAgent(trx, opened, { user_agent: userAgent.slice(0, longest), ip_address: ip });
}

/** Spam is judged by people here: nothing is ever sent to a service that judges it. */
export async function userAgentDetail(db: Reader, opened: Opened): Promise<Static<typeof UserAgentDetail>> {
  const found = await findUserAgent(db, opened);
  if (!found) throw new NotFound('UserAgentDetail');
  const { user_agent, ip_address } = found;
  return { user_agent, ip_address, akismet_submitted: false };
}
