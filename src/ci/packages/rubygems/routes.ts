import Type from 'typebox';
import type { Gates } from '../../../access/gates.ts';
import { type Route, route } from '../../../access/route.ts';
import type { Services } from '../../../access/services.ts';
import { param, required } from '../../../platform/http/params.ts';
import { entity } from '../../../platform/http/schema.ts';
import { withChallenge } from '../basic-challenge.ts';
import { packageGate, publishingScopes, readingScopes } from '../gate.ts';
import { project } from '../schema.ts';
import * as service from './service.ts';
import { receiveGem } from './upload.ts';

const tag = 'packages';
const bytes = { 200: Type.String({ format: 'binary' }) };
const file = (description: string) => ({ ...project, file_name: required(param.string({ description })) });
const GemPublished = entity('GemPublished', { message: Type.String() });

/** The RubyGems API, used by gem and Bundler. */
export function rubygemsRoutes(services: Services, gates: Gates): Route[] {
  const gate = withChallenge(packageGate(services, gates, 'read_package'));
  const reading = {
    tag,
    method: 'GET',
    gate,
    responses: bytes,
    jobToken: true,
    bareToken: true,
    deployScopes: readingScopes,
  } as const;
  return [
    route({
      ...reading,
      path: '/projects/:id/packages/rubygems/:file_name',
      summary: 'Get a gem index of a project',
      params: file(`One of ${service.indexNames.join(', ')}`),
      handle: ({ subject, params, reply }) => service.sendIndex(services, subject, params.file_name, reply),
    }),
    route({
      ...reading,
      path: '/projects/:id/packages/rubygems/quick/Marshal.4.8/:file_name',
      summary: 'Get a gem specification',
      params: file('Full name of the gem and `.gemspec.rz`'),
      handle: ({ subject, params, reply }) => service.sendGemspec(services, subject, params.file_name, reply),
    }),
    route({
      ...reading,
      path: '/projects/:id/packages/rubygems/gems/:file_name',
      summary: 'Download a gem',
      params: file('Full name of the gem and `.gem`'),
      handle: ({ subject, params, reply }) => service.sendGem(services, subject, params.file_name, reply),
    }),
    route({
      ...reading,
      path: '/projects/:id/packages/rubygems/api/v1/dependencies',
      summary: 'Get gem dependencies',
      params: { ...project, gems: param.string({ description: 'Comma-separated gem names' }) },
      handle: ({ subject, params, reply }) => service.sendDependencies(services, subject, params.gems, reply),
    }),
    route({
      tag,
      method: 'POST',
      path: '/projects/:id/packages/rubygems/api/v1/gems',
      summary: 'Publish a gem',
      gate: withChallenge(packageGate(services, gates, 'create_package')),
      params: project,
      rawBody: true,
      jobToken: true,
      bareToken: true,
      deployScopes: publishingScopes,
      responses: { 201: GemPublished },
      handle: async ({ caller, subject, request }) => {
        await receiveGem(services, caller, subject, request);
        return { message: '201 Created' };
      },
    }),
  ];
}
