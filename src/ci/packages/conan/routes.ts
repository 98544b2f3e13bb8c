import type { Gates } from '../../../access/gates.ts';
import { type Route, route } from '../../../access/route.ts';
import type { Services } from '../../../access/services.ts';
import { withChallenge } from '../basic-challenge.ts';
import { packageGate } from '../gate.ts';
import { project } from '../schema.ts';
import { instanceRoutes } from './instance-routes.ts';
import * as kit from './kit.ts';
import { conanOperations } from './operations.ts';
import { parseV1FilePath, parseV1Path, parseV2Path } from './paths.ts';
import * as service from './service.ts';
import { pong } from './sign-in.ts';
import { receiveFile } from './upload.ts';

/** The Conan API. Conan 1 without revisions uses version 1 of the protocol, all others version 2. */
export function conanRoutes(services: Services, gates: Gates): Route[] {
  return [
    ...signInRoutes(services, gates),
    ...firstRoutes(services, gates),
    ...secondRoutes(services, gates),
    ...instanceRoutes(services, gates),
  ];
}

const path = { ...project, ...kit.path };

function signInRoutes(services: Services, gates: Gates): Route[] {
  const { authenticate, check } = conanOperations(services, gates);
  return [
    route({
      ...kit.textRoute,
      path: '/projects/:id/packages/conan/v1/ping',
      summary: 'Check the Conan registry of a project',
      gate: withChallenge(packageGate(services, gates, 'read_package')),
      params: project,
      handle: ({ reply }) => pong(reply),
    }),
    route({ ...authenticate, path: '/projects/:id/packages/conan/v1/users/authenticate' }),
    route({ ...authenticate, path: '/projects/:id/packages/conan/v2/users/authenticate' }),
    route({ ...check, path: '/projects/:id/packages/conan/v1/users/check_credentials' }),
    route({ ...check, path: '/projects/:id/packages/conan/v2/users/check_credentials' }),
  ];
}

function firstRoutes(services: Services, gates: Gates): Route[] {
  const gate = withChallenge(packageGate(services, gates, 'read_package'));
  const publishing = withChallenge(packageGate(services, gates, 'create_package'));
  return [
    route({ ...conanOperations(services, gates).search, path: '/projects/:id/packages/conan/v1/conans/search' }),
    route({
      ...kit.getRoute,
      path: '/projects/:id/packages/conan/v1/conans/*',
      summary: 'Get a snapshot, download URLs or a search of a Conan recipe in a project',
      gate,
      params: path,
      handle: ({ subject, params }) => {
        const address = kit.addressOfProject(services, subject.project);
        return service.answerV1(services, subject, kit.requireRequest(parseV1Path(params['*'])), address);
      },
    }),
    route({
      ...kit.postRoute,
      path: '/projects/:id/packages/conan/v1/conans/*',
      summary: 'Get upload URLs of a Conan recipe or package in a project',
      gate: publishing,
      params: path,
      handle: ({ subject, params, request, reply }) => {
        const address = kit.addressOfProject(services, subject.project);
        reply.code(200);
        return service.answerUpload(kit.requireRequest(parseV1Path(params['*'])), address, kit.fileNames(request));
      },
    }),
    route({
      ...kit.deleteRoute,
      path: '/projects/:id/packages/conan/v1/conans/*',
      summary: 'Delete a Conan recipe and its packages from a project',
      gate: withChallenge(gates.project('destroy_package')),
      params: path,
      handle: ({ caller, subject, params }) => service.removeByV1(services, caller, subject, parseV1Path(params['*'])),
    }),
    route({
      ...kit.getRoute,
      path: '/projects/:id/packages/conan/v1/files/*',
      summary: 'Download a file of a Conan recipe or package in a project',
      gate,
      params: path,
      handle: ({ subject, params, reply }) =>
        service.sendFile(services, subject, kit.requireRequest(parseV1FilePath(params['*'])), reply),
    }),
    route({
      ...kit.putRoute,
      path: '/projects/:id/packages/conan/v1/files/*',
      summary: 'Upload a file of a Conan recipe or package to a project',
      gate: publishing,
      params: path,
      handle: ({ caller, subject, params, request }) =>
        receiveFile(services, caller, subject, parseV1FilePath(params['*']), request),
    }),
  ];
}

function secondRoutes(services: Services, gates: Gates): Route[] {
  const gate = withChallenge(packageGate(services, gates, 'read_package'));
  return [
    route({ ...conanOperations(services, gates).search, path: '/projects/:id/packages/conan/v2/conans/search' }),
    route({
      ...kit.getRoute,
      path: '/projects/:id/packages/conan/v2/conans/*',
      summary: 'Get revisions, contents or files of a Conan recipe or package',
      gate,
      params: path,
      handle: ({ subject, params, reply }) =>
        service.answerV2(services, subject, kit.requireRequest(parseV2Path(params['*'])), reply),
    }),
    route({
      ...kit.putRoute,
      path: '/projects/:id/packages/conan/v2/conans/*',
      summary: 'Upload a file of a revision of a Conan recipe or package',
      gate: withChallenge(packageGate(services, gates, 'create_package')),
      params: path,
      handle: ({ caller, subject, params, request }) =>
        receiveFile(services, caller, subject, parseV2Path(params['*']), request),
    }),
    route({
      ...kit.deleteRoute,
      path: '/projects/:id/packages/conan/v2/conans/*',
      summary: 'Delete a revision of a Conan recipe, its packages, or a package revision',
      gate: withChallenge(gates.project('destroy_package')),
      params: path,
      handle: ({ caller, subject, params }) => service.removeByV2(services, caller, subject, parseV2Path(params['*'])),
    }),
  ];
}
