import type { Gates } from '../../../../access/gates.ts';
import { type Route, route } from '../../../../access/route.ts';
import type { Services } from '../../../../access/services.ts';
import { atLeastOneOf } from '../../../../platform/http/params.ts';
import * as schema from './schema.ts';
import * as service from './service.ts';

const tag = 'merge_request_approvals';

/** Routes for the approval settings of projects and groups. */
export function approvalRestrictionRoutes(services: Services, gates: Gates): Route[] {
  const rules = [atLeastOneOf(...schema.changing)];
  return [
    route({
      method: 'GET',
      path: '/projects/:id/merge_request_approval_setting',
      tag,
      summary: 'Get approval settings of a project',
      gate: gates.project('manage_merge_request_settings'),
      params: schema.place,
      responses: { 200: schema.ApprovalSetting },
      handle: ({ subject }) => service.getForProject(services, subject),
    }),
    route({
      method: 'PUT',
      path: '/projects/:id/merge_request_approval_setting',
      tag,
      summary: 'Update approval settings of a project',
      gate: gates.project('manage_merge_request_settings'),
      params: schema.change,
      rules,
      responses: { 200: schema.ApprovalSetting },
      handle: ({ subject, params: { id: _, ...change } }) => service.changeForProject(services, subject, change),
    }),
    route({
      method: 'GET',
      path: '/groups/:id/merge_request_approval_setting',
      tag,
      summary: 'Get approval settings of a group',
      gate: gates.group('manage_merge_request_settings'),
      params: schema.place,
      responses: { 200: schema.ApprovalSetting },
      handle: ({ subject }) => service.getForGroup(services, subject),
    }),
    route({
      method: 'PUT',
      path: '/groups/:id/merge_request_approval_setting',
      tag,
      summary: 'Update approval settings of a group',
      gate: gates.group('manage_merge_request_settings'),
      params: schema.change,
      rules,
      responses: { 200: schema.ApprovalSetting },
      handle: ({ subject, params: { id: _, ...change } }) => service.changeForGroup(services, subject, change),
    }),
  ];
}
