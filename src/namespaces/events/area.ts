import type { Area } from '../../access/area.ts';
import { recordJoined, recordLeft } from './memberships.ts';
import { eventRoutes } from './routes.ts';

export const events: Area = {
  name: 'events',
  routes: eventRoutes,
  on: { 'member.added': recordJoined, 'member.removed': recordLeft },
};
