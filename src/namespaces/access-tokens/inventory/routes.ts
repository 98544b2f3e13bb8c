import Type from 'typebox';
import type { Gates } from '../../../access/gates.ts';
import { type Route, route } from '../../../access/route.ts';
import type { Services } from '../../../access/services.ts';
import { PersonalAccessToken } from '../../../people/tokens/public.ts';
import * as schema from '../schema.ts';
import { listGroupPersonalTokens, listGroupResourceTokens } from './service.ts';

const tag = 'access tokens';

/** The credentials that a top-level group keeps an inventory of. */
export function tokenInventoryRoutes(services: Services, gates: Gates): Route[] {
  const gate = gates.group('admin_access_token', { signedIn: true });
  return [
    route({
      method: 'GET',
      path: '/groups/:id/manage/personal_access_tokens',
      tag,
      summary: 'List the personal access tokens of the accounts that belong to a top-level group',
      gate,
      params: schema.list,
      paginated: true,
      answers: { 200: Type.Array(PersonalAccessToken) },
      handle: ({ caller, subject, params: { id: _, ...asked }, page }) =>
        listGroupPersonalTokens(services, caller, subject, asked, page),
    }),
    route({
      method: 'GET',
      path: '/groups/:id/manage/resource_access_tokens',
      tag,
      summary: 'List the access tokens of a top-level group and of everything in it',
      gate,
      params: schema.list,
      paginated: true,
      answers: { 200: Type.Array(schema.ResourceToken) },
      handle: ({ subject, params: { id: _, ...asked }, page }) =>
        listGroupResourceTokens(services, subject, asked, page),
    }),
  ];
}
