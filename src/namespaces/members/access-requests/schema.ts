import type { Static } from 'typebox';
import { BasicUser } from '../../../people/users/public.ts';
import { param, withDefault } from '../../../platform/http/params.ts';
import { entity, timestamp } from '../../../platform/http/schema.ts';
import { oneMember } from '../schema.ts';

export const AccessRequest = entity('AccessRequest', { ...BasicUser.properties, requested_at: timestamp() });
export type AccessRequestEntity = Static<typeof AccessRequest>;

export const approval = { ...oneMember, access_level: withDefault(param.integer(), 30) };
