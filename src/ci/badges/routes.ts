import Type from 'typebox';
import type { Gates } from '../../access/gates.ts';
import { type Route, route } from '../../access/route.ts';
import type { Services } from '../../access/services.ts';
import { atLeastOneOf } from '../../platform/http/params.ts';
import * as schema from './schema.ts';
import * as service from './service.ts';

const tag = 'badges';

export function badgeRoutes(services: Services, gates: Gates): Route[] {
  return [...projectBadgeRoutes(services, gates), ...groupBadgeRoutes(services, gates)];
}

function projectBadgeRoutes(services: Services, gates: Gates): Route[] {
  const reading = gates.project('read_project');
  const managing = gates.project('admin_project', { signedIn: true });
  return [
    route({
      method: 'GET',
      path: '/projects/:id/badges',
      tag,
      summary: 'List project badges',
      gate: reading,
      params: schema.listing,
      paginated: true,
      responses: { 200: Type.Array(schema.Badge) },
      handle: ({ caller, subject, params, page }) => service.listBadges(services, caller, subject, params.name, page),
    }),
    route({
      method: 'GET',
      path: '/projects/:id/badges/render',
      tag,
      summary: 'Preview a project badge',
      gate: managing,
      params: schema.preview,
      responses: { 200: schema.RenderedBadge },
      handle: ({ caller, subject, params }) => service.previewBadge(services, caller, subject, params),
    }),
    route({
      method: 'GET',
      path: '/projects/:id/badges/:badge_id',
      tag,
      summary: 'Get a project badge',
      gate: reading,
      params: schema.oneBadge,
      responses: { 200: schema.Badge },
      handle: ({ caller, subject, params }) => service.getBadge(services, caller, subject, params.badge_id),
    }),
    route({
      method: 'POST',
      path: '/projects/:id/badges',
      tag,
      summary: 'Create a project badge',
      gate: managing,
      params: schema.newBadge,
      responses: { 201: schema.Badge },
      handle: ({ caller, subject, params }) => service.createBadge(services, caller, subject, params),
    }),
    route({
      method: 'PUT',
      path: '/projects/:id/badges/:badge_id',
      tag,
      summary: 'Update a project badge',
      gate: managing,
      params: schema.badgeChange,
      rules: [atLeastOneOf('name', 'link_url', 'image_url')],
      responses: { 200: schema.Badge },
      handle: ({ caller, subject, params }) => service.updateBadge(services, caller, subject, params.badge_id, params),
    }),
    route({
      method: 'DELETE',
      path: '/projects/:id/badges/:badge_id',
      tag,
      summary: 'Delete a project badge',
      gate: managing,
      params: schema.oneBadge,
      responses: { 204: null },
      handle: ({ subject, params }) => service.deleteBadge(services, subject, params.badge_id),
    }),
  ];
}

function groupBadgeRoutes(services: Services, gates: Gates): Route[] {
  const reading = gates.group('read_group');
  const managing = gates.group('admin_group', { signedIn: true });
  return [
    route({
      method: 'GET',
      path: '/groups/:id/badges',
      tag,
      summary: 'List group badges',
      gate: reading,
      params: schema.listing,
      paginated: true,
      responses: { 200: Type.Array(schema.Badge) },
      handle: ({ caller, subject, params, page }) => service.listBadges(services, caller, subject, params.name, page),
    }),
    route({
      method: 'GET',
      path: '/groups/:id/badges/render',
      tag,
      summary: 'Preview a group badge',
      gate: managing,
      params: schema.preview,
      responses: { 200: schema.RenderedBadge },
      handle: ({ caller, subject, params }) => service.previewBadge(services, caller, subject, params),
    }),
    route({
      method: 'GET',
      path: '/groups/:id/badges/:badge_id',
      tag,
      summary: 'Get a group badge',
      gate: reading,
      params: schema.oneBadge,
      responses: { 200: schema.Badge },
      handle: ({ caller, subject, params }) => service.getBadge(services, caller, subject, params.badge_id),
    }),
    route({
      method: 'POST',
      path: '/groups/:id/badges',
      tag,
      summary: 'Create a group badge',
      gate: managing,
      params: schema.newBadge,
      responses: { 201: schema.Badge },
      handle: ({ caller, subject, params }) => service.createBadge(services, caller, subject, params),
    }),
    route({
      method: 'PUT',
      path: '/groups/:id/badges/:badge_id',
      tag,
      summary: 'Update a group badge',
      gate: managing,
      params: schema.badgeChange,
      rules: [atLeastOneOf('name', 'link_url', 'image_url')],
      responses: { 200: schema.Badge },
      handle: ({ caller, subject, params }) => service.updateBadge(services, caller, subject, params.badge_id, params),
    }),
    route({
      method: 'DELETE',
      path: '/groups/:id/badges/:badge_id',
      tag,
      summary: 'Delete a group badge',
      gate: managing,
      params: schema.oneBadge,
      responses: { 204: null },
      handle: ({ subject, params }) => service.deleteBadge(services, subject, params.badge_id),
    }),
  ];
}
