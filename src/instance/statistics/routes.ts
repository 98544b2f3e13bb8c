import Type from 'typebox';
import type { Gates } from '../../access/gates.ts';
import { type Route, route } from '../../access/route.ts';
import type { Services } from '../../access/services.ts';
import { entity } from '../../platform/http/schema.ts';
import { getStatistics } from './service.ts';

const names = [
  'forks',
  'issues',
  'merge_requests',
  'notes',
  'snippets',
  'ssh_keys',
  'milestones',
  'users',
  'projects',
  'groups',
  'active_users',
];
const Statistics = entity(
  'ApplicationStatistics',
  Object.fromEntries(names.map((name) => [name, Type.String({ description: 'Number with thousands separators' })])),
);

export function statisticsRoutes(services: Services, { admin }: Gates): Route[] {
  return [
    route({
      method: 'GET',
      path: '/application/statistics',
      tag: 'statistics',
      summary: 'Get instance statistics',
      gate: admin,
      params: {},
      responses: { 200: Statistics },
      handle: () => getStatistics(services),
    }),
  ];
}
