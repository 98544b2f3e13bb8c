import type { Gates } from '../../../access/gates.ts';
import { type Route, route } from '../../../access/route.ts';
import type { Services } from '../../../access/services.ts';
import * as schema from './schema.ts';
import * as service from './service.ts';

const tag = 'dependency proxy';

/** `/groups/:id/dependency_proxy`: settings. */
export function settingsRoutes(services: Services, gates: Gates): Route[] {
  return [
    route({
      method: 'GET',
      path: '/groups/:id/dependency_proxy',
      tag,
      summary: 'Get dependency proxy settings of a group',
      gate: gates.group('read_dependency_proxy', { signedIn: true }),
      params: schema.group,
      responses: { 200: schema.DependencyProxy },
      handle: ({ subject }) => service.getProxy(services, subject),
    }),
    route({
      method: 'PUT',
      path: '/groups/:id/dependency_proxy',
      tag,
      summary: 'Update dependency proxy settings of a group',
      gate: gates.group('admin_dependency_proxy', { signedIn: true }),
      params: schema.change,
      responses: { 200: schema.DependencyProxy },
      handle: ({ subject, params: { id: _, ...change } }) => service.changeProxy(services, subject, change),
    }),
  ];
}
