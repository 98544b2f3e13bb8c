import Type from 'typebox';
import type { Gates } from '../../../access/gates.ts';
import { type Route, route } from '../../../access/route.ts';
import type { Services } from '../../../access/services.ts';
import { BasicUser } from '../../../people/users/public.ts';
import { param } from '../../../platform/http/params.ts';
import { projectParam } from '../schema.ts';
import { listUsers } from './service.ts';

const tag = 'projects';

export function userRoutes(services: Services, gates: Gates): Route[] {
  return [
    route({
      method: 'GET',
      path: '/projects/:id/users',
      tag,
      summary: 'List users of a project',
      gate: gates.project('read_member'),
      params: { ...projectParam, search: param.string(), skip_users: param.integers() },
      paginated: true,
      responses: { 200: Type.Array(BasicUser) },
      handle: ({ subject, params, page }) => listUsers(services, subject, params, page),
    }),
  ];
}
