import Type from 'typebox';
import type { Gates } from '../../../access/gates.ts';
import { type Route, route } from '../../../access/route.ts';
import type { Services } from '../../../access/services.ts';
import { checkUnmodified } from '../../../platform/http/responses/precondition.ts';
import { projectOrGroupParams, protectedRefParams } from '../schema.ts';
import * as schema from './schema.ts';
import * as service from './service.ts';

const tag = 'protected tags';

/** Protected tags of a project. */
export function protectedTagRoutes({ db }: Services, gates: Gates): Route[] {
  const gate = gates.project('admin_protected_tag', { signedIn: true });
  return [
    route({
      method: 'GET',
      path: '/projects/:id/protected_tags',
      tag,
      summary: 'List protected tags of a project',
      gate,
      params: projectOrGroupParams,
      paginated: true,
      responses: { 200: Type.Array(schema.ProtectedTag) },
      handle: ({ subject, page }) => service.listTagRules(db, subject, page),
    }),
    route({
      method: 'POST',
      path: '/projects/:id/protected_tags',
      tag,
      summary: 'Protect a repository tag',
      gate,
      params: schema.tagCreation,
      responses: { 201: schema.ProtectedTag },
      handle: ({ subject, params }) => service.protectTag(db, subject, params),
    }),
    route({
      method: 'GET',
      path: '/projects/:id/protected_tags/:name',
      tag,
      summary: 'Get a protected tag of a project',
      gate,
      params: protectedRefParams,
      responses: { 200: schema.ProtectedTag },
      handle: ({ subject, params }) => service.getTagRule(db, subject, params.name),
    }),
    route({
      method: 'DELETE',
      path: '/projects/:id/protected_tags/:name',
      tag,
      summary: 'Unprotect a repository tag',
      gate,
      params: protectedRefParams,
      responses: { 204: null },
      handle: ({ subject, params, request }) =>
        service.unprotectTag(db, subject, params.name, (changedAt) => checkUnmodified(request, changedAt)),
    }),
  ];
}
