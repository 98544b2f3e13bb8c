import type { Gates } from '../../../access/gates.ts';
import { type Route, route } from '../../../access/route.ts';
import type { Services } from '../../../access/services.ts';
import { hookOperations } from '../hooks/operations.ts';
import * as schema from '../hooks/schema.ts';

/** Routes for group webhooks, their secrets and their deliveries. */
export function groupHookRoutes(services: Services, gates: Gates): Route[] {
  const hooks = hookOperations(services, {
    what: 'group',
    gate: gates.group('admin_hook', { signedIn: true }),
    entity: schema.GroupHook,
  });
  return [
    route({ method: 'GET', path: '/groups/:id/hooks', ...hooks.list }),
    route({ method: 'POST', path: '/groups/:id/hooks', params: schema.newGroupHook, ...hooks.add }),
    route({ method: 'GET', path: '/groups/:id/hooks/:hook_id', ...hooks.get }),
    route({ method: 'PUT', path: '/groups/:id/hooks/:hook_id', params: schema.groupHookChange, ...hooks.change }),
    route({ method: 'DELETE', path: '/groups/:id/hooks/:hook_id', ...hooks.remove }),
    route({ method: 'PUT', path: '/groups/:id/hooks/:hook_id/url_variables/:key', ...hooks.setVariable }),
    route({ method: 'DELETE', path: '/groups/:id/hooks/:hook_id/url_variables/:key', ...hooks.removeVariable }),
    route({ method: 'PUT', path: '/groups/:id/hooks/:hook_id/custom_headers/:key', ...hooks.setHeader }),
    route({ method: 'DELETE', path: '/groups/:id/hooks/:hook_id/custom_headers/:key', ...hooks.removeHeader }),
    route({ method: 'GET', path: '/groups/:id/hooks/:hook_id/events', ...hooks.listEvents }),
    route({ method: 'POST', path: '/groups/:id/hooks/:hook_id/events/:hook_log_id/resend', ...hooks.resend }),
    route({ method: 'POST', path: '/groups/:id/hooks/:hook_id/test/:trigger', ...hooks.try }),
  ];
}
