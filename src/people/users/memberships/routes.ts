import Type from 'typebox';
import { type Route, route } from '../../../access/route.ts';
import type { Services } from '../../../access/services.ts';
import { param } from '../../../platform/http/params.ts';
import { entity } from '../../../platform/http/schema.ts';
import type { UserGates } from '../gates.ts';
import { numbered } from '../schema.ts';
import { countAssociations, listMemberships } from './service.ts';

const tag = 'users';
const scopes = ['read_user'];

const Membership = entity('Membership', {
  source_id: Type.Integer(),
  source_name: Type.String(),
  source_type: Type.String(),
  access_level: Type.Integer(),
});

const AssociationsCount = entity('AssociationsCount', {
  groups_count: Type.Integer(),
  projects_count: Type.Integer(),
  issues_count: Type.Integer(),
  merge_requests_count: Type.Integer(),
});

export function membershipRoutes(services: Services, users: UserGates): Route[] {
  return [
    route({
      method: 'GET',
      path: '/users/:id(^\\d+$)/memberships',
      tag,
      summary: 'List memberships of a user',
      gate: users.admin,
      scopes,
      params: { ...numbered, type: param.oneOf(['Project', 'Namespace']) },
      paginated: true,
      responses: { 200: Type.Array(Membership) },
      handle: ({ subject, params, page }) => listMemberships(services.db, subject.id, params.type, page),
    }),
    route({
      method: 'GET',
      path: '/users/:id(^\\d+$)/associations_count',
      tag,
      summary: 'Get associations count of a user',
      gate: users.selfOrAdmin,
      scopes,
      params: numbered,
      responses: { 200: AssociationsCount },
      handle: ({ subject }) => countAssociations(services, subject.id),
    }),
  ];
}
