import type { Static } from 'typebox';
import { BasicUser } from '../../../people/users/public.ts';
import { entity, timestamp } from '../../../platform/http/schema.ts';

export const BannedMember = entity('BannedMember', { ...BasicUser.properties, banned_at: timestamp() });
export type BannedMemberEntity = Static<typeof BannedMember>;
