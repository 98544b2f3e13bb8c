import Type from 'typebox';
import type { Gates } from '../../../access/gates.ts';
import { type Route, route } from '../../../access/route.ts';
import type { Services } from '../../../access/services.ts';
import * as schema from './schema.ts';
import * as service from './service.ts';

const tag = 'packages';

/** `/projects/:id/packages/protection/rules`. */
export function protectionRoutes(services: Services, gates: Gates): Route[] {
  const gate = gates.project('destroy_package');
  return [
    route({
      method: 'GET',
      path: '/projects/:id/packages/protection/rules',
      tag,
      summary: 'List package protection rules of a project',
      gate,
      params: schema.project,
      paginated: true,
      responses: { 200: Type.Array(schema.PackageRule) },
      handle: ({ subject, page }) => service.listRules(services, subject, page),
    }),
    route({
      method: 'POST',
      path: '/projects/:id/packages/protection/rules',
      tag,
      summary: 'Create a package protection rule',
      gate,
      params: schema.newRule,
      responses: { 201: schema.PackageRule },
      handle: ({ subject, params }) => service.createRule(services, subject, params),
    }),
    route({
      method: 'PATCH',
      path: '/projects/:id/packages/protection/rules/:package_protection_rule_id',
      tag,
      summary: 'Update a package protection rule',
      gate,
      params: schema.changedRule,
      responses: { 200: schema.PackageRule },
      handle: ({ subject, params }) => service.changeRule(services, subject, params.package_protection_rule_id, params),
    }),
    route({
      method: 'DELETE',
      path: '/projects/:id/packages/protection/rules/:package_protection_rule_id',
      tag,
      summary: 'Delete a package protection rule',
      gate,
      params: schema.oneRule,
      responses: { 204: null },
      handle: ({ subject, params }) => service.deleteRule(services, subject, params.package_protection_rule_id),
    }),
  ];
}
