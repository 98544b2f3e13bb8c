import Type, { type Static } from 'typebox';
import { entity, timestamp } from '../../../platform/http/schema.ts';

export const SupportPin = entity('UserSupportPin', { pin: Type.String(), expires_at: timestamp() });
export type SupportPinEntity = Static<typeof SupportPin>;
