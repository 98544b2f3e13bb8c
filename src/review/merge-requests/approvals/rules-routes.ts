import Type from 'typebox';
import type { Gates } from '../../../access/gates.ts';
import { type Route, route } from '../../../access/route.ts';
import type { Services } from '../../../access/services.ts';
import type { ProjectSubject } from '../../../access/subjects.ts';
import { Forbidden } from '../../../platform/http/errors.ts';
import { oneRequest, project } from '../schema.ts';
import { requireRequest } from '../service.ts';
import * as requestRules from './request-rules.ts';
import * as rules from './rules.ts';
import * as schema from './schema.ts';
import * as settings from './settings-service.ts';

const tag = 'merge_request_approvals';

/** Routes for project approval rules and the approval configuration. */
export function projectRuleRoutes(services: Services, gates: Gates): Route[] {
  const gate = gates.project('manage_merge_request_settings');
  const reading = gates.project('read_approval_rule');
  return [
    route({
      method: 'GET',
      path: '/projects/:id/approvals',
      tag,
      summary: 'Get the approval configuration of a project',
      gate: reading,
      params: project,
      responses: { 200: schema.Settings },
      handle: ({ subject }) => settings.getSettings(services, subject),
    }),
    route({
      method: 'POST',
      path: '/projects/:id/approvals',
      tag,
      summary: 'Update the approval configuration of a project',
      gate,
      params: schema.settingsChange,
      responses: { 201: schema.Settings },
      handle: ({ subject, params: { id: _, ...change } }) => settings.updateSettings(services, subject, change),
    }),
    route({
      method: 'GET',
      path: '/projects/:id/approval_rules',
      tag,
      summary: 'List project approval rules',
      gate: reading,
      params: project,
      paginated: true,
      responses: { 200: Type.Array(schema.ProjectRule) },
      handle: ({ caller, subject, page }) => rules.listProjectRules(services, caller, subject, page),
    }),
    route({
      method: 'POST',
      path: '/projects/:id/approval_rules',
      tag,
      summary: 'Create a project approval rule',
      gate,
      params: schema.newProjectRule,
      responses: { 201: schema.ProjectRule },
      handle: ({ caller, subject, params }) => rules.createProjectRule(services, caller, subject, params),
    }),
    route({
      method: 'GET',
      path: '/projects/:id/approval_rules/:approval_rule_id',
      tag,
      summary: 'Get a project approval rule',
      gate: reading,
      params: schema.oneProjectRule,
      responses: { 200: schema.ProjectRule },
      handle: ({ caller, subject, params }) => rules.getProjectRule(services, caller, subject, params.approval_rule_id),
    }),
    route({
      method: 'PUT',
      path: '/projects/:id/approval_rules/:approval_rule_id',
      tag,
      summary: 'Update a project approval rule',
      gate,
      params: schema.projectRuleChange,
      responses: { 200: schema.ProjectRule },
      handle: ({ caller, subject, params }) =>
        rules.updateProjectRule(services, caller, subject, params.approval_rule_id, params),
    }),
    route({
      method: 'DELETE',
      path: '/projects/:id/approval_rules/:approval_rule_id',
      tag,
      summary: 'Delete a project approval rule',
      gate,
      params: schema.oneProjectRule,
      responses: { 204: null },
      handle: ({ subject, params }) => rules.deleteProjectRule(services, subject, params.approval_rule_id),
    }),
  ];
}

/** The same rules at their legacy path. */
export function approvalSettingsRoutes(services: Services, gates: Gates): Route[] {
  const gate = gates.project('manage_merge_request_settings');
  return [
    route({
      method: 'GET',
      path: '/projects/:id/approval_settings',
      tag,
      summary: 'Get approval rules of a project, optionally for a target branch',
      gate: gates.project('read_approval_rule'),
      params: schema.forBranch,
      responses: { 200: schema.RulesOfProject },
      handle: ({ caller, subject, params }) => rules.rulesForBranch(services, caller, subject, params.target_branch),
    }),
    route({
      method: 'POST',
      path: '/projects/:id/approval_settings/rules',
      tag,
      summary: 'Create a project approval rule (legacy path)',
      gate,
      params: schema.newProjectRule,
      responses: { 201: schema.ProjectRule },
      handle: ({ caller, subject, params }) => rules.createProjectRule(services, caller, subject, params),
    }),
    route({
      method: 'PUT',
      path: '/projects/:id/approval_settings/rules/:approval_rule_id',
      tag,
      summary: 'Update a project approval rule (legacy path)',
      gate,
      params: schema.projectRuleChange,
      responses: { 200: schema.ProjectRule },
      handle: ({ caller, subject, params }) =>
        rules.updateProjectRule(services, caller, subject, params.approval_rule_id, params),
    }),
    route({
      method: 'DELETE',
      path: '/projects/:id/approval_settings/rules/:approval_rule_id',
      tag,
      summary: 'Delete a project approval rule (legacy path)',
      gate,
      params: schema.oneProjectRule,
      responses: { 204: null },
      handle: ({ subject, params }) => rules.deleteProjectRule(services, subject, params.approval_rule_id),
    }),
  ];
}

/** Routes for merge request approval rules. */
export function requestRuleRoutes(services: Services, gates: Gates): Route[] {
  const reading = gates.project('read_merge_request', { signedIn: true });
  const found = async (subject: ProjectSubject, iid: number, change = false) => {
    if (change && !subject.can('admin_merge_request')) throw new Forbidden();
    return (await requireRequest(services, subject, iid)).request;
  };
  return [
    route({
      method: 'GET',
      path: '/projects/:id/merge_requests/:merge_request_iid/approval_state',
      tag,
      summary: 'Get the approval state of a merge request',
      gate: reading,
      params: oneRequest,
      responses: { 200: schema.ApprovalState },
      handle: async ({ caller, subject, params }) =>
        requestRules.approvalState(services, caller, await found(subject, params.merge_request_iid)),
    }),
    route({
      method: 'GET',
      path: '/projects/:id/merge_requests/:merge_request_iid/approval_settings',
      tag,
      summary: 'Get approval rules of a merge request, optionally for a target branch',
      gate: reading,
      params: schema.requestForBranch,
      responses: { 200: schema.RulesOfRequest },
      handle: async ({ caller, subject, params }) => {
        const request = await found(subject, params.merge_request_iid);
        return requestRules.rulesForRequest(services, caller, subject, request, params.target_branch);
      },
    }),
    route({
      method: 'GET',
      path: '/projects/:id/merge_requests/:merge_request_iid/approval_rules',
      tag,
      summary: 'List merge request approval rules',
      gate: reading,
      params: oneRequest,
      paginated: true,
      responses: { 200: Type.Array(schema.RequestRule) },
      handle: async ({ caller, subject, params, page }) =>
        requestRules.pageOfRules(services, caller, await found(subject, params.merge_request_iid), page),
    }),
    route({
      method: 'POST',
      path: '/projects/:id/merge_requests/:merge_request_iid/approval_rules',
      tag,
      summary: 'Create a merge request approval rule',
      gate: reading,
      params: schema.newRequestRule,
      responses: { 201: schema.RequestRule },
      handle: async ({ caller, subject, params }) =>
        requestRules.createRequestRule(services, caller, await found(subject, params.merge_request_iid, true), params),
    }),
    route({
      method: 'GET',
      path: '/projects/:id/merge_requests/:merge_request_iid/approval_rules/:approval_rule_id',
      tag,
      summary: 'Get a merge request approval rule',
      gate: reading,
      params: schema.oneRequestRule,
      responses: { 200: schema.RequestRule },
      handle: async ({ caller, subject, params }) =>
        requestRules.getRequestRule(
          services,
          caller,
          await found(subject, params.merge_request_iid),
          params.approval_rule_id,
        ),
    }),
    route({
      method: 'PUT',
      path: '/projects/:id/merge_requests/:merge_request_iid/approval_rules/:approval_rule_id',
      tag,
      summary: 'Update a merge request approval rule',
      gate: reading,
      params: schema.requestRuleChange,
      responses: { 200: schema.RequestRule },
      handle: async ({ caller, subject, params }) =>
        requestRules.updateRequestRule(
          services,
          caller,
          await found(subject, params.merge_request_iid, true),
          params.approval_rule_id,
          params,
        ),
    }),
    route({
      method: 'DELETE',
      path: '/projects/:id/merge_requests/:merge_request_iid/approval_rules/:approval_rule_id',
      tag,
      summary: 'Delete a merge request approval rule',
      gate: reading,
      params: schema.oneRequestRule,
      responses: { 204: null },
      handle: async ({ subject, params }) =>
        requestRules.deleteRequestRule(
          services,
          await found(subject, params.merge_request_iid, true),
          params.approval_rule_id,
        ),
    }),
  ];
}
