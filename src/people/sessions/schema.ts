import Type, { type Static } from 'typebox';
import { param, required } from '../../platform/http/params.ts';
import { entity, timestamp } from '../../platform/http/schema.ts';

export const Session = entity('Session', {
  id: Type.Integer(),
  ip_address: Type.String(),
  user_agent: Type.String(),
  /** Whether it is the session of the request. */
  current: Type.Boolean(),
  last_used_at: timestamp(),
  expires_at: timestamp(),
  created_at: timestamp(),
});
export type SessionEntity = Static<typeof Session>;

export const one = { session_id: required(param.integer()) };
