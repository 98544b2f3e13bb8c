import Type, { type Static } from 'typebox';
import { param } from '../../../platform/http/params.ts';
import { entity, nullable, timestamp } from '../../../platform/http/schema.ts';

const textOrNull = () => nullable(Type.String());

export const UserStatus = entity('UserStatus', {
  emoji: textOrNull(),
  message: textOrNull(),
  availability: textOrNull(),
  message_html: textOrNull(),
  clear_status_at: nullable(timestamp()),
});
export type UserStatusEntity = Static<typeof UserStatus>;

export const change = {
  emoji: param.string(),
  message: param.string(),
  availability: param.oneOf(['not_set', 'busy']),
  clear_status_after: param.oneOf(['30_minutes', '3_hours', '8_hours', '1_day', '3_days', '7_days', '30_days']),
};
