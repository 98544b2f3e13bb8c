import Type from 'typebox';
import type { Gates } from '../../../access/gates.ts';
import { type Route, route } from '../../../access/route.ts';
import type { Services } from '../../../access/services.ts';
import { mutuallyExclusive, param, required } from '../../../platform/http/params.ts';
import { entity } from '../../../platform/http/schema.ts';
import * as schema from '../schema.ts';
import { ownerOf, registerRunner, resetRegistrationToken } from './service.ts';

const tag = 'runners';
const owner = { id: required(param.string({ description: 'ID or URL-encoded path' })) };
const responses = { 201: entity('RunnerRegistrationToken', { token: Type.String() }) };

/** Deprecated registration with the registration token of a project, group or the instance. */
export function registrationRoutes(services: Services, gates: Gates): Route[] {
  return [
    route({
      method: 'POST',
      path: '/runners',
      tag,
      summary: 'Register a runner with a registration token (deprecated)',
      gate: gates.anyone,
      params: schema.registering,
      rules: [mutuallyExclusive('active', 'paused'), mutuallyExclusive('maintainer_note', 'maintenance_note')],
      responses: { 201: schema.Registration },
      handle: ({ params: { token, ...attributes } }) => registerRunner(services, token, attributes),
    }),
    route({
      method: 'POST',
      path: '/runners/reset_registration_token',
      tag,
      summary: 'Reset the instance runner registration token (deprecated)',
      gate: gates.admin,
      params: {},
      responses,
      handle: () => resetRegistrationToken(services, 'instance'),
    }),
    route({
      method: 'POST',
      path: '/projects/:id/runners/reset_registration_token',
      tag,
      summary: 'Reset the runner registration token of a project (deprecated)',
      gate: gates.project('admin_runner'),
      params: owner,
      responses,
      handle: ({ subject }) => resetRegistrationToken(services, ownerOf(subject)),
    }),
    route({
      method: 'POST',
      path: '/groups/:id/runners/reset_registration_token',
      tag,
      summary: 'Reset the runner registration token of a group (deprecated)',
      gate: gates.group('admin_runner'),
      params: owner,
      responses,
      handle: ({ subject }) => resetRegistrationToken(services, ownerOf(subject)),
    }),
  ];
}
