import Type from 'typebox';
import type { Gates } from '../../../access/gates.ts';
import { type Route, route } from '../../../access/route.ts';
import type { Services } from '../../../access/services.ts';
import { param } from '../../../platform/http/params.ts';
import { day, entity } from '../../../platform/http/schema.ts';
import { listActivities } from './service.ts';

const Activity = entity('Activity', {
  username: Type.String(),
  last_activity_on: day(),
  last_activity_at: day(),
});

export function activityRoutes({ db }: Services, gates: Gates): Route[] {
  return [
    route({
      method: 'GET',
      path: '/user/activities',
      tag: 'users',
      summary: 'List user activities',
      gate: gates.admin,
      scopes: ['read_user'],
      params: { from: param.dateTime() },
      paginated: true,
      responses: { 200: Type.Array(Activity) },
      handle: ({ params, page }) => listActivities(db, params.from, page),
    }),
  ];
}
