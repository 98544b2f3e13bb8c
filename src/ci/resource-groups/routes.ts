import Type from 'typebox';
import type { Gates } from '../../access/gates.ts';
import { type Route, route } from '../../access/route.ts';
import type { Services } from '../../access/services.ts';
import { nullable } from '../../platform/http/schema.ts';
import { Job } from '../jobs/public.ts';
import * as schema from './schema.ts';
import * as service from './service.ts';

const tag = 'resource groups';

export function resourceGroupRoutes(services: Services, gates: Gates): Route[] {
  const gate = gates.project('update_pipeline');
  return [
    route({
      method: 'GET',
      path: '/projects/:id/resource_groups',
      tag,
      summary: 'List resource groups',
      gate,
      params: schema.project,
      paginated: true,
      responses: { 200: Type.Array(schema.ResourceGroup) },
      handle: ({ subject, page }) => service.listGroups(services, subject, page),
    }),
    route({
      method: 'GET',
      path: '/projects/:id/resource_groups/:key',
      tag,
      summary: 'Get a resource group',
      gate,
      params: schema.oneGroup,
      responses: { 200: schema.ResourceGroup },
      handle: ({ subject, params }) => service.getGroup(services, subject, params.key),
    }),
    route({
      method: 'PUT',
      path: '/projects/:id/resource_groups/:key',
      tag,
      summary: 'Update a resource group',
      gate,
      params: schema.change,
      responses: { 200: schema.ResourceGroup },
      handle: ({ subject, params }) => service.updateGroup(services, subject, params.key, params.process_mode),
    }),
    route({
      method: 'GET',
      path: '/projects/:id/resource_groups/:key/current_job',
      tag,
      summary: 'Get the current job of a resource group',
      gate,
      params: schema.oneGroup,
      responses: { 200: nullable(Job) },
      handle: ({ subject, params }) => service.currentJob(services, subject, params.key),
    }),
    route({
      method: 'GET',
      path: '/projects/:id/resource_groups/:key/upcoming_jobs',
      tag,
      summary: 'List upcoming jobs of a resource group',
      gate,
      params: schema.oneGroup,
      paginated: true,
      responses: { 200: Type.Array(Job) },
      handle: ({ subject, params, page }) => service.upcomingJobs(services, subject, params.key, page),
    }),
  ];
}
