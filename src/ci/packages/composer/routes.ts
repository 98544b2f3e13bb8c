import Type from 'typebox';
import type { Gates } from '../../../access/gates.ts';
import { type Route, route } from '../../../access/route.ts';
import type { Services } from '../../../access/services.ts';
import { archiveCache } from '../../../code/archives/public.ts';
import { exactlyOneOf, param, required } from '../../../platform/http/params.ts';
import { entity } from '../../../platform/http/schema.ts';
import { withChallenge } from '../basic-challenge.ts';
import { groupPackageGate, packageGate, publishingScopes, readingScopes } from '../gate.ts';
import { group, project } from '../schema.ts';
import { sendPackage } from './archive.ts';
import { publishCommit } from './publish.ts';
import * as service from './service.ts';

const tag = 'packages';
const reading = { tag, method: 'GET', jobToken: true, deployScopes: readingScopes } as const;

const ComposerPublished = entity('ComposerPublished', { message: Type.String() });
const ComposerRepository = entity('ComposerRepository', {
  packages: Type.Array(Type.Unknown()),
  'metadata-url': Type.String(),
  'provider-includes': Type.Optional(Type.Record(Type.String(), Type.Object({ sha256: Type.String() }))),
  'providers-url': Type.Optional(Type.String()),
});
const ComposerProviders = entity('ComposerProviders', {
  providers: Type.Record(Type.String(), Type.Object({ sha256: Type.String() })),
});
const ComposerPackages = entity('ComposerPackages', {
  packages: Type.Record(Type.String(), Type.Record(Type.String(), Type.Unknown())),
});

/** The Composer repository API. Packages are installed from groups. */
export function composerRoutes(services: Services, gates: Gates): Route[] {
  return [...projectRoutes(services, gates), ...repositoryRoutes(services, gates), ...metadataRoutes(services, gates)];
}

function projectRoutes(services: Services, gates: Gates): Route[] {
  const cache = archiveCache(services);
  return [
    route({
      tag,
      method: 'POST',
      path: '/projects/:id/packages/composer',
      summary: 'Publish a Composer package',
      gate: withChallenge(packageGate(services, gates, 'create_package')),
      params: {
        ...project,
        branch: param.string({ description: 'Name of the branch' }),
        tag: param.string({ description: 'Name of the tag' }),
      },
      rules: [exactlyOneOf('branch', 'tag')],
      jobToken: true,
      deployScopes: publishingScopes,
      responses: { 201: ComposerPublished },
      handle: async ({ caller, subject, params: { branch, tag: named } }) => {
        await publishCommit(services, caller, subject, { branch, tag: named });
        return { message: '201 Created' };
      },
    }),
    route({
      ...reading,
      path: '/projects/:id/packages/composer/archives/*',
      summary: 'Download a Composer package',
      gate: withChallenge(packageGate(services, gates, 'read_package')),
      params: {
        ...project,
        '*': required(param.string({ description: 'Name of the package, optionally followed by `.zip`' })),
        sha: required(param.string({ description: 'SHA of the published commit' })),
      },
      responses: { 200: Type.String(), 206: Type.String(), 304: null },
      handle: (call) => sendPackage(services, cache, call, call.params),
    }),
  ];
}

function repositoryRoutes(services: Services, gates: Gates): Route[] {
  const gate = withChallenge(groupPackageGate(services, gates));
  const described = {
    ...reading,
    summary: 'Get the Composer repository of a group',
    gate,
    params: group,
    responses: { 200: ComposerRepository },
  };
  return [
    route({
      ...described,
      path: '/group/:id/-/packages/composer/packages',
      handle: ({ caller, subject, request }) =>
        service.describeRepository(services, caller, subject, request.headers['user-agent']),
    }),
    route({
      ...described,
      // The full path; otherwise it would be parsed as a package name.
      path: '/group/:id/-/packages/composer/packages.json',
      handle: ({ caller, subject, request }) =>
        service.describeRepository(services, caller, subject, request.headers['user-agent']),
    }),
    route({
      ...reading,
      path: '/group/:id/-/packages/composer/p/:sha',
      summary: 'List Composer packages of a group (Composer 1)',
      gate,
      params: { ...group, sha: required(param.string({ description: 'Digest of the list' })) },
      responses: { 200: ComposerProviders },
      // Sent verbatim, because Composer verifies its digest.
      handle: async ({ caller, subject, reply }) =>
        reply.type('application/json').send(await service.providersText(services, caller, subject)),
    }),
  ];
}

function metadataRoutes(services: Services, gates: Gates): Route[] {
  const gate = withChallenge(groupPackageGate(services, gates));
  const responses = { 200: ComposerPackages };
  return [
    route({
      ...reading,
      path: '/group/:id/-/packages/composer/p2/*',
      summary: 'Get metadata of a Composer package; `~dev` selects branches',
      gate,
      params: { ...group, '*': required(param.string({ description: 'Name of the package' })) },
      responses,
      handle: ({ caller, subject, params, reply }) =>
        service.sendMetadata(services, caller, subject, params['*'], reply),
    }),
    route({
      ...reading,
      path: '/group/:id/-/packages/composer/*',
      summary: 'Get metadata of a Composer package (Composer 1)',
      gate,
      params: { ...group, '*': required(param.string({ description: 'Name of the package, `$` and a digest' })) },
      responses,
      handle: ({ caller, subject, params, reply }) =>
        service.sendProvider(services, caller, subject, params['*'], reply),
    }),
  ];
}
