import Type from 'typebox';
import type { Gates } from '../../access/gates.ts';
import { type Route, route } from '../../access/route.ts';
import type { Services } from '../../access/services.ts';
import { entity } from '../../platform/http/schema.ts';
import * as schema from './schema.ts';
import { deliveryMetric, recentActivity } from './service.ts';

const tag = 'analytics';

export function analyticsRoutes(services: Services, gates: Gates): Route[] {
  return [
    route({
      method: 'GET',
      path: '/projects/:id/dora/metrics',
      tag,
      summary: 'Get DORA metrics of a project',
      gate: gates.project('read_delivery_metrics', { signedIn: true }),
      params: schema.projectMetric,
      responses: { 200: Type.Array(schema.MetricValue) },
      handle: ({ subject, params }) => deliveryMetric(services, subject, params),
    }),
    route({
      method: 'GET',
      path: '/groups/:id/dora/metrics',
      tag,
      summary: 'Get DORA metrics of a group',
      gate: gates.group('read_delivery_metrics', { signedIn: true }),
      params: schema.groupMetric,
      responses: { 200: Type.Array(schema.MetricValue) },
      handle: ({ subject, params }) => deliveryMetric(services, subject, params),
    }),
    route({
      method: 'GET',
      path: '/analytics/group_activity/issues_count',
      tag,
      summary: 'Get the count of recently created issues of a group',
      gate: gates.signedIn,
      params: schema.groupActivity,
      responses: { 200: entity('GroupIssuesCount', { issues_count: Type.Integer() }) },
      handle: async ({ caller, params }) => ({
        issues_count: await recentActivity(services, caller, params.group_path, 'issues'),
      }),
    }),
    route({
      method: 'GET',
      path: '/analytics/group_activity/merge_requests_count',
      tag,
      summary: 'Get the count of recently created merge requests of a group',
      gate: gates.signedIn,
      params: schema.groupActivity,
      responses: { 200: entity('GroupMergeRequestsCount', { merge_requests_count: Type.Integer() }) },
      handle: async ({ caller, params }) => ({
        merge_requests_count: await recentActivity(services, caller, params.group_path, 'merge_requests'),
      }),
    }),
    route({
      method: 'GET',
      path: '/analytics/group_activity/new_members_count',
      tag,
      summary: 'Get the count of recently added members of a group',
      gate: gates.signedIn,
      params: schema.groupActivity,
      responses: { 200: entity('GroupNewMembersCount', { new_members_count: Type.Integer() }) },
      handle: async ({ caller, params }) => ({
        new_members_count: await recentActivity(services, caller, params.group_path, 'new_members'),
      }),
    }),
  ];
}
