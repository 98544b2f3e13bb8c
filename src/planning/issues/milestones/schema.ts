import Type, { type Static } from 'typebox';
import { entity, timestamp } from '../../../platform/http/schema.ts';

export const BurndownEvent = entity('BurndownEvent', {
  created_at: timestamp(),
  weight: Type.Integer(),
  action: Type.String(),
});
export type BurndownEventEntity = Static<typeof BurndownEvent>;
