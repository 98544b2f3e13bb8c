import Type from 'typebox';
import type { Gates } from '../../../access/gates.ts';
import { type Route, route } from '../../../access/route.ts';
import type { Services } from '../../../access/services.ts';
import { oneEpic } from '../schema.ts';
import * as schema from './schema.ts';
import * as service from './service.ts';

const tag = 'epics';

/** Routes for related epics. */
export function relatedEpicRoutes(services: Services, gates: Gates): Route[] {
  const signedIn = gates.group('read_epic', { signedIn: true });
  return [
    route({
      method: 'GET',
      path: '/groups/:id/related_epic_links',
      tag,
      summary: 'List related epic links of a group',
      gate: gates.group('read_epic'),
      params: schema.linksOfGroup,
      paginated: true,
      responses: { 200: Type.Array(schema.RelatedEpicLink) },
      handle: ({ caller, subject, params: { id, ...filters }, page }) =>
        service.listLinks(services, caller, subject, filters, page),
    }),
    route({
      method: 'GET',
      path: '/groups/:id/epics/:epic_iid/related_epics',
      tag,
      summary: 'List related epics',
      gate: gates.group('read_epic'),
      params: oneEpic,
      responses: { 200: Type.Array(schema.RelatedEpic) },
      handle: ({ caller, subject, params }) => service.listRelated(services, caller, subject, params.epic_iid),
    }),
    route({
      method: 'POST',
      path: '/groups/:id/epics/:epic_iid/related_epics',
      tag,
      summary: 'Create a related epic link',
      gate: signedIn,
      params: schema.newLink,
      responses: { 201: schema.RelatedEpicLink },
      handle: ({ caller, subject, params }) => service.relateEpics(services, caller, subject, params),
    }),
    route({
      method: 'DELETE',
      path: '/groups/:id/epics/:epic_iid/related_epics/:related_epic_link_id',
      tag,
      summary: 'Delete a related epic link',
      gate: signedIn,
      params: schema.oneLink,
      responses: { 200: schema.RelatedEpicLink },
      handle: ({ caller, subject, params }) =>
        service.unrelateEpics(services, caller, subject, params.epic_iid, params.related_epic_link_id),
    }),
  ];
}
