import Type from 'typebox';
import type { Gates } from '../../access/gates.ts';
import { type Route, route } from '../../access/route.ts';
import type { Services } from '../../access/services.ts';
import * as schema from './schema.ts';
import * as service from './service.ts';

const tag = 'saml_group_links';

/** `/groups/:id/saml_group_links`: groups of SAML providers whose users get a role in the group at sign-in. */
export function samlGroupLinkRoutes(services: Services, gates: Gates): Route[] {
  const gate = gates.group('admin_saml_group_link');
  return [
    route({
      method: 'GET',
      path: '/groups/:id/saml_group_links',
      tag,
      summary: 'List SAML group links',
      gate,
      params: schema.owner,
      responses: { 200: Type.Array(schema.SamlGroupLink) },
      handle: ({ subject }) => service.listLinks(services, subject),
    }),
    route({
      method: 'GET',
      path: '/groups/:id/saml_group_links/:saml_group_name',
      tag,
      summary: 'Get a SAML group link',
      gate,
      params: schema.oneLink,
      responses: { 200: schema.SamlGroupLink },
      handle: ({ subject, params }) => service.getLink(services, subject, params),
    }),
    route({
      method: 'POST',
      path: '/groups/:id/saml_group_links',
      tag,
      summary: 'Create a SAML group link',
      gate,
      params: schema.newLink,
      responses: { 201: schema.SamlGroupLink },
      handle: ({ subject, params }) => service.addLink(services, subject, params),
    }),
    route({
      method: 'DELETE',
      path: '/groups/:id/saml_group_links/:saml_group_name',
      tag,
      summary: 'Delete a SAML group link',
      gate,
      params: schema.oneLink,
      responses: { 204: null },
      handle: ({ subject, params }) => service.removeLink(services, subject, params),
    }),
  ];
}
