import Type from 'typebox';
import type { Gates } from '../../../../access/gates.ts';
import { type Route, route } from '../../../../access/route.ts';
import type { Services } from '../../../../access/services.ts';
import * as schema from './schema.ts';
import * as service from './service.ts';

const tag = 'merge_request_approvals';

/** Routes for group approval rules, which apply to protected branches in all projects of a group. */
export function groupRuleRoutes(services: Services, gates: Gates): Route[] {
  const gate = gates.group('manage_merge_request_settings');
  return [
    route({
      method: 'GET',
      path: '/groups/:id/approval_rules',
      tag,
      summary: 'List group approval rules',
      gate,
      params: schema.list,
      paginated: true,
      responses: { 200: Type.Array(schema.GroupRule) },
      handle: ({ caller, subject, page }) => service.listGroupRules(services, caller, subject, page),
    }),
    route({
      method: 'POST',
      path: '/groups/:id/approval_rules',
      tag,
      summary: 'Create a group approval rule',
      gate,
      params: schema.newRule,
      responses: { 201: schema.GroupRule },
      handle: ({ caller, subject, params }) => service.createGroupRule(services, caller, subject, params),
    }),
    route({
      method: 'GET',
      path: '/groups/:id/approval_rules/:approval_rule_id',
      tag,
      summary: 'Get a group approval rule',
      gate,
      params: schema.oneRule,
      responses: { 200: schema.GroupRule },
      handle: ({ caller, subject, params }) => service.getGroupRule(services, caller, subject, params.approval_rule_id),
    }),
    route({
      method: 'PUT',
      path: '/groups/:id/approval_rules/:approval_rule_id',
      tag,
      summary: 'Update a group approval rule',
      gate,
      params: schema.ruleChange,
      responses: { 200: schema.GroupRule },
      handle: ({ caller, subject, params }) =>
        service.updateGroupRule(services, caller, subject, params.approval_rule_id, params),
    }),
  ];
}
