import Type from 'typebox';
import type { Actor } from '../../../access/actor.ts';
import type { Gates } from '../../../access/gates.ts';
import { type Route, route } from '../../../access/route.ts';
import type { Services } from '../../../access/services.ts';
import { param, required } from '../../../platform/http/params.ts';
import { entity } from '../../../platform/http/schema.ts';
import { challengeFor, withChallenge } from '../basic-challenge.ts';
import { groupPackageGate, packageGate, publishingScopes, readingScopes } from '../gate.ts';
import { group, project } from '../schema.ts';
import { receiveFile } from './publish.ts';
import * as service from './service.ts';

const tag = 'packages';
const reading = {
  tag,
  method: 'GET',
  jobToken: true,
  deployScopes: readingScopes,
  responses: { 200: Type.String({ format: 'binary' }) },
} as const;
const path = {
  '*': required(
    param.string({
      description: 'Group ID with slashes for dots, artifact ID, version and file name',
    }),
  ),
};
const MavenPublished = entity('MavenPublished', { message: Type.String() });

/** The Maven repository API, also used by Gradle. */
export function mavenRoutes(services: Services, gates: Gates): Route[] {
  const anywhere = (caller: Actor) => service.searchInstance(services, caller);
  const nothing = (caller: Actor) => (error: unknown) => {
    throw challengeFor(caller, error);
  };
  return [
    route({
      tag,
      method: 'PUT',
      path: '/projects/:id/packages/maven/*',
      summary: 'Upload a file of a Maven package or verify its digest',
      gate: withChallenge(packageGate(services, gates, 'create_package')),
      params: { ...project, ...path },
      rawBody: true,
      jobToken: true,
      deployScopes: publishingScopes,
      responses: { 200: MavenPublished },
      handle: async ({ caller, subject, params, request }) => {
        await receiveFile(services, caller, subject, params['*'], request);
        return { message: '200 OK' };
      },
    }),
    route({
      ...reading,
      path: '/projects/:id/packages/maven/*',
      summary: 'Download a file of a Maven package, or its digest, from a project',
      gate: withChallenge(packageGate(services, gates, 'read_package')),
      params: { ...project, ...path },
      handle: ({ subject, params, reply }) =>
        service.sendFile(services, service.searchProject(subject), params['*'], reply),
    }),
    route({
      ...reading,
      path: '/groups/:id/-/packages/maven/*',
      summary: 'Download a file of a Maven package, or its digest, from a group',
      gate: withChallenge(groupPackageGate(services, gates)),
      params: { ...group, ...path },
      handle: ({ caller, subject, params, reply }) =>
        service
          .sendFile(services, service.searchNamespace(services, caller, subject.namespaceId), params['*'], reply)
          .catch(nothing(caller)),
    }),
    route({
      ...reading,
      path: '/packages/maven/*',
      summary: 'Download a file of a Maven package, or its digest, from the instance',
      gate: gates.anyone,
      params: path,
      handle: ({ caller, params, reply }) =>
        service.sendFile(services, anywhere(caller), params['*'], reply).catch(nothing(caller)),
    }),
  ];
}
