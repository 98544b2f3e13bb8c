import Type from 'typebox';
import type { Gates } from '../../../access/gates.ts';
import { type Route, route } from '../../../access/route.ts';
import type { Services } from '../../../access/services.ts';
import * as schema from './schema.ts';
import * as service from './service.ts';

const tag = 'feature flags';

/** `/projects/:id/feature_flags`. */
export function flagRoutes(services: Services, gates: Gates): Route[] {
  const reading = gates.project('read_feature_flag', { signedIn: true });
  const managing = gates.project('admin_feature_flag');
  return [
    route({
      method: 'GET',
      path: '/projects/:id/feature_flags',
      tag,
      summary: 'List feature flags of a project',
      gate: reading,
      params: schema.listing,
      paginated: true,
      responses: { 200: Type.Array(schema.FeatureFlag) },
      handle: ({ subject, params: { id: _, ...filters }, page }) => service.listFlags(services, subject, filters, page),
    }),
    route({
      method: 'POST',
      path: '/projects/:id/feature_flags',
      tag,
      summary: 'Create a feature flag',
      gate: managing,
      params: schema.creation,
      responses: { 201: schema.FeatureFlag },
      handle: ({ caller, subject, params }) => service.createFlag(services, caller, subject, params),
    }),
    route({
      method: 'GET',
      path: '/projects/:id/feature_flags/:feature_flag_name',
      tag,
      summary: 'Get a feature flag',
      gate: reading,
      params: schema.named,
      responses: { 200: schema.FeatureFlag },
      handle: ({ subject, params }) => service.getFlag(services, subject, params.feature_flag_name),
    }),
    route({
      method: 'PUT',
      path: '/projects/:id/feature_flags/:feature_flag_name',
      tag,
      summary: 'Update a feature flag',
      gate: managing,
      params: schema.change,
      responses: { 200: schema.FeatureFlag },
      handle: ({ caller, subject, params }) => service.updateFlag(services, caller, subject, params),
    }),
    route({
      method: 'DELETE',
      path: '/projects/:id/feature_flags/:feature_flag_name',
      tag,
      summary: 'Delete a feature flag',
      gate: managing,
      params: schema.named,
      responses: { 200: schema.FeatureFlag },
      handle: ({ caller, subject, params }) => service.deleteFlag(services, caller, subject, params.feature_flag_name),
    }),
  ];
}
