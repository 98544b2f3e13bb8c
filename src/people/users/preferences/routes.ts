import type { Gates } from '../../../access/gates.ts';
import { type Route, route } from '../../../access/route.ts';
import type { Services } from '../../../access/services.ts';
import { atLeastOneOf } from '../../../platform/http/params.ts';
import { change, Preferences } from './schema.ts';
import { getPreferences, setPreferences } from './service.ts';

const tag = 'users';

export function preferenceRoutes(services: Services, gates: Gates): Route[] {
  return [
    route({
      method: 'GET',
      path: '/user/preferences',
      tag,
      summary: 'Get preferences of the current user',
      gate: gates.signedIn,
      scopes: ['read_user'],
      params: {},
      responses: { 200: Preferences },
      handle: ({ subject }) => getPreferences(subject),
    }),
    route({
      method: 'PUT',
      path: '/user/preferences',
      tag,
      summary: 'Update preferences of the current user',
      gate: gates.signedIn,
      params: change,
      rules: [atLeastOneOf(...Object.keys(change))],
      responses: { 200: Preferences },
      handle: ({ subject, params }) => setPreferences(services, subject.id, params),
    }),
  ];
}
