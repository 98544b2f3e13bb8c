import Type from 'typebox';
import type { Gates } from '../../../access/gates.ts';
import { type Route, route } from '../../../access/route.ts';
import type { Services } from '../../../access/services.ts';
import { entity } from '../../../platform/http/schema.ts';
import { getUserCounts } from './service.ts';

const UserCounts = entity('UserCounts', {
  merge_requests: Type.Integer(),
  assigned_issues: Type.Integer(),
  assigned_merge_requests: Type.Integer(),
  review_requested_merge_requests: Type.Integer(),
  todos: Type.Integer(),
});

export function countRoutes(services: Services, gates: Gates): Route[] {
  return [
    route({
      method: 'GET',
      path: '/user_counts',
      tag: 'users',
      summary: 'Get counters for the current user',
      gate: gates.signedIn,
      scopes: ['read_user'],
      params: {},
      responses: { 200: UserCounts },
      handle: ({ caller }) => getUserCounts(services, caller),
    }),
  ];
}
