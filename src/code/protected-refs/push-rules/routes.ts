import type { Gates } from '../../../access/gates.ts';
import { type Route, route } from '../../../access/route.ts';
import type { Services } from '../../../access/services.ts';
import { nullable } from '../../../platform/http/schema.ts';
import { projectOrGroupParams } from '../schema.ts';
import * as schema from './schema.ts';
import * as service from './service.ts';

const tag = 'push rules';

/** The push rule of a project. */
export function projectPushRuleRoutes({ db }: Services, gates: Gates): Route[] {
  const gate = gates.project('admin_push_rule', { signedIn: true });
  return [
    route({
      method: 'GET',
      path: '/projects/:id/push_rule',
      tag,
      summary: 'Get the push rule of a project',
      gate,
      params: projectOrGroupParams,
      responses: { 200: nullable(schema.ProjectPushRule) },
      handle: ({ subject }) => service.getPushRule(db, subject),
    }),
    route({
      method: 'POST',
      path: '/projects/:id/push_rule',
      tag,
      summary: 'Create a push rule for a project',
      gate,
      params: schema.pushRule,
      rules: [schema.someOfRule],
      responses: { 201: schema.ProjectPushRule },
      handle: ({ subject, params }) => service.createPushRule(db, subject, params),
    }),
    route({
      method: 'PUT',
      path: '/projects/:id/push_rule',
      tag,
      summary: 'Update the push rule of a project',
      gate,
      params: schema.pushRule,
      rules: [schema.someOfRule],
      responses: { 200: schema.ProjectPushRule },
      handle: ({ subject, params }) => service.updatePushRule(db, subject, params),
    }),
    route({
      method: 'DELETE',
      path: '/projects/:id/push_rule',
      tag,
      summary: 'Delete the push rule of a project',
      gate,
      params: projectOrGroupParams,
      responses: { 204: null },
      handle: ({ subject }) => service.deletePushRule(db, subject),
    }),
  ];
}

/** The push rule of a group, which applies to its projects. */
export function groupPushRuleRoutes({ db }: Services, gates: Gates): Route[] {
  const gate = gates.group('admin_push_rule', { signedIn: true });
  return [
    route({
      method: 'GET',
      path: '/groups/:id/push_rule',
      tag,
      summary: 'Get the push rule of a group',
      gate,
      params: projectOrGroupParams,
      responses: { 200: schema.GroupPushRule },
      handle: ({ subject }) => service.getPushRule(db, subject),
    }),
    route({
      method: 'POST',
      path: '/groups/:id/push_rule',
      tag,
      summary: 'Create a push rule for a group',
      gate,
      params: schema.pushRule,
      rules: [schema.someOfRule],
      responses: { 201: schema.GroupPushRule },
      handle: ({ subject, params }) => service.createPushRule(db, subject, params),
    }),
    route({
      method: 'PUT',
      path: '/groups/:id/push_rule',
      tag,
      summary: 'Update the push rule of a group',
      gate,
      params: schema.pushRule,
      rules: [schema.someOfRule],
      responses: { 200: schema.GroupPushRule },
      handle: ({ subject, params }) => service.updatePushRule(db, subject, params),
    }),
    route({
      method: 'DELETE',
      path: '/groups/:id/push_rule',
      tag,
      summary: 'Delete the push rule of a group',
      gate,
      params: projectOrGroupParams,
      responses: { 204: null },
      handle: ({ subject }) => service.deletePushRule(db, subject),
    }),
  ];
}
