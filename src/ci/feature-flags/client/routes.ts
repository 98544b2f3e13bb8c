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

/** What the applications of a project are configured with. */
export function clientRoutes(services: Services, gates: Gates): Route[] {
  const gate = gates.project('admin_feature_flags_client');
  return [
    route({
      method: 'GET',
      path: '/projects/:id/feature_flags_client',
      tag: 'feature flags',
      summary: 'Get what applications are configured with',
      gate,
      params: schema.project,
      responses: { 200: schema.Client },
      handle: ({ subject }) => service.getClient(services, subject),
    }),
    route({
      method: 'PUT',
      path: '/projects/:id/feature_flags_client/reset_token',
      tag: 'feature flags',
      summary: 'Replace what applications show to read the flags',
      gate,
      params: schema.project,
      responses: { 200: schema.Client },
      handle: ({ subject }) => service.resetToken(services, subject),
    }),
  ];
}

const text = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined);

/** Lets in whoever shows the token of the project's applications. */
function tokenGate(services: Services): Gate<Actor, Project> {
  return {
    asks: { subject: 'token of the applications of a project' },
    enter: (_, { project_id, instance_id }, { headers }) =>
      service.projectOfToken(services, String(project_id), text(instance_id) ?? text(headers['unleash-instanceid'])),
  };
}

type UnleashCall = Call<Actor, ParamsOf<typeof schema.unleash>, Project>;

/** What Unleash clients ask for. */
export function unleashRoutes(services: Services): Route[] {
  const common = { tag, gate: tokenGate(services), params: schema.unleash };
  const features = ({ subject, params, request }: UnleashCall) =>
    service.features(services, subject, text(params.app_name) ?? text(request.headers['unleash-appname']));
  // Clients announce themselves and count what they decided; nobody here asks for either.
  const heard = () => undefined;
  return [
    route({
      ...common,
      method: 'GET',
      path: '/feature_flags/unleash/:project_id',
      summary: 'Find out whether a client may read',
      responses: { 200: null },
      handle: heard,
    }),
    route({
      ...common,
      method: 'GET',
      path: '/feature_flags/unleash/:project_id/features',
      summary: 'List what an application decides by, for clients of the second version',
      responses: { 200: schema.UnleashFeatures },
      handle: features,
    }),
    route({
      ...common,
      method: 'GET',
      path: '/feature_flags/unleash/:project_id/client/features',
      summary: 'List what an application decides by',
      responses: { 200: schema.UnleashFeatures },
      handle: features,
    }),
    route({
      ...common,
      method: 'POST',
      path: '/feature_flags/unleash/:project_id/client/register',
      summary: 'Register a client',
      responses: { 200: null },
      handle: heard,
    }),
    route({
      ...common,
      method: 'POST',
      path: '/feature_flags/unleash/:project_id/client/metrics',
      summary: 'Report what a client has decided',
      responses: { 200: null },
      handle: heard,
    }),
  ];
}
