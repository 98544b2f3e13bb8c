import type { Actor } from '../../../access/actor.ts';
import type { Gates } from '../../../access/gates.ts';
import { type Route, route } from '../../../access/route.ts';
import type { Services } from '../../../access/services.ts';
import type { Project } from '../../../access/tables.ts';
import type { Call, Gate } from '../../../platform/http/endpoint.ts';
import type { ParamsOf } from '../../../platform/http/params.ts';
import * as schema from './schema.ts';
import * as service from './service.ts';

const tag = 'unleash';

/** Settings with which the applications of a project access the Unleash API. */
export function clientRoutes(services: Services, gates: Gates): Route[] {
  const gate = gates.project('admin_feature_flags_client');
  return [
    route({
      method: 'GET',
      path: '/projects/:id/feature_flags_client',
      tag: 'feature flags',
      summary: 'Get the feature flags client of a project',
      gate,
      params: schema.project,
      responses: { 200: schema.Client },
      handle: ({ subject }) => service.getClient(services, subject),
    }),
    route({
      method: 'PUT',
      path: '/projects/:id/feature_flags_client/reset_token',
      tag: 'feature flags',
      summary: 'Reset the feature flags client token of a project',
      gate,
      params: schema.project,
      responses: { 200: schema.Client },
      handle: ({ subject }) => service.resetToken(services, subject),
    }),
  ];
}

const text = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined);

/** Authenticates applications by the client token of the project. */
function tokenGate(services: Services): Gate<Actor, Project> {
  return {
    asks: { subject: 'feature flags client token of a project' },
    enter: (_, { project_id, instance_id }, { headers }) =>
      service.projectOfToken(services, String(project_id), text(instance_id) ?? text(headers['unleash-instanceid'])),
  };
}

type UnleashCall = Call<Actor, ParamsOf<typeof schema.unleash>, Project>;

/** The Unleash client API. */
export function unleashRoutes(services: Services): Route[] {
  const common = { tag, gate: tokenGate(services), params: schema.unleash };
  const features = ({ subject, params, request }: UnleashCall) =>
    service.features(services, subject, text(params.app_name) ?? text(request.headers['unleash-appname']));
  // Unleash clients register and report metrics; neither is stored.
  const ignored = () => undefined;
  return [
    route({
      ...common,
      method: 'GET',
      path: '/feature_flags/unleash/:project_id',
      summary: 'Check client access',
      responses: { 200: null },
      handle: ignored,
    }),
    route({
      ...common,
      method: 'GET',
      path: '/feature_flags/unleash/:project_id/features',
      summary: 'List features for Unleash clients (version 2)',
      responses: { 200: schema.UnleashFeatures },
      handle: features,
    }),
    route({
      ...common,
      method: 'GET',
      path: '/feature_flags/unleash/:project_id/client/features',
      summary: 'List features for Unleash clients',
      responses: { 200: schema.UnleashFeatures },
      handle: features,
    }),
    route({
      ...common,
      method: 'POST',
      path: '/feature_flags/unleash/:project_id/client/register',
      summary: 'Register an Unleash client',
      responses: { 200: null },
      handle: ignored,
    }),
    route({
      ...common,
      method: 'POST',
      path: '/feature_flags/unleash/:project_id/client/metrics',
      summary: 'Report metrics of an Unleash client',
      responses: { 200: null },
      handle: ignored,
    }),
  ];
}
