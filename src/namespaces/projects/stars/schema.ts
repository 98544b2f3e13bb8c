import type { Static } from 'typebox';
import { BasicUser } from '../../../people/users/public.ts';
import { entity, timestamp } from '../../../platform/http/schema.ts';

export const Starrer = entity('Starrer', { starred_since: timestamp(), user: BasicUser });
export type StarrerEntity = Static<typeof Starrer>;
