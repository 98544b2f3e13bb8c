import type { Gates } from '../../../access/gates.ts';
import { type Route, route } from '../../../access/route.ts';
import type { Services } from '../../../access/services.ts';
import { hookOperations } from '../hooks/operations.ts';
import * as schema from '../hooks/schema.ts';

/** Routes for project webhooks, their secrets and their deliveries. */
export function projectHookRoutes(services: Services, gates: Gates): Route[] {
  const hooks = hookOperations(services, {
    what: 'project',
    gate: gates.project('admin_hook', { signedIn: true }),
    entity: schema.ProjectHook,
  });
  return [
    route({ method: 'GET', path: '/projects/:id/hooks', ...hooks.list }),
    route({ method: 'POST', path: '/projects/:id/hooks', params: schema.newProjectHook, ...hooks.add }),
    route({ method: 'GET', path: '/projects/:id/hooks/:hook_id', ...hooks.get }),
    route({ method: 'PUT', path: '/projects/:id/hooks/:hook_id', params: schema.projectHookChange, ...hooks.change }),
    route({ method: 'DELETE', path: '/projects/:id/hooks/:hook_id', ...hooks.remove }),
    route({ method: 'PUT', path: '/projects/:id/hooks/:hook_id/url_variables/:key', ...hooks.setVariable }),
    route({ method: 'DELETE', path: '/projects/:id/hooks/:hook_id/url_variables/:key', ...hooks.removeVariable }),
    route({ method: 'PUT', path: '/projects/:id/hooks/:hook_id/custom_headers/:key', ...hooks.setHeader }),
    route({ method: 'DELETE', path: '/projects/:id/hooks/:hook_id/custom_headers/:key', ...hooks.removeHeader }),
    route({ method: 'GET', path: '/projects/:id/hooks/:hook_id/events', ...hooks.listEvents }),
    route({ method: 'POST', path: '/projects/:id/hooks/:hook_id/events/:hook_log_id/resend', ...hooks.resend }),
    route({ method: 'POST', path: '/projects/:id/hooks/:hook_id/test/:trigger', ...hooks.try }),
  ];
}
