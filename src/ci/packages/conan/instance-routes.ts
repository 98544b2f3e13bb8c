import type { Gates } from '../../../access/gates.ts';
import { type Route, route } from '../../../access/route.ts';
import type { Services } from '../../../access/services.ts';
import { packageGate } from '../gate.ts';
import { namedByRecipe } from './gate.ts';
import * as kit from './kit.ts';
import { parseV1FilePath, parseV1Path } from './paths.ts';
import * as service from './service.ts';
import { confirmCredentials, pong, sendToken } from './sign-in.ts';
import { receiveFile } from './upload.ts';

/** Instance-level endpoints, where the recipe's user names the project. Only supported by version 1 of the protocol. */
export function instanceRoutes(services: Services, gates: Gates): Route[] {
  return [...signInRoutes(services, gates), ...recipeRoutes(services, gates), ...fileRoutes(services, gates)];
}

function signInRoutes(services: Services, { anyone: gate }: Gates): Route[] {
  const textRoute = { ...kit.textRoute, gate, params: {} };
  return [
    route({
      ...textRoute,
      path: '/packages/conan/v1/ping',
      summary: 'Check the Conan registry',
      handle: ({ reply }) => pong(reply),
    }),
    route({
      ...textRoute,
      path: '/packages/conan/v1/users/authenticate',
      summary: 'Get a Conan authentication token',
      handle: ({ caller, request, reply }) => sendToken(services, caller, request, reply),
    }),
    route({
      ...textRoute,
      path: '/packages/conan/v1/users/check_credentials',
      summary: 'Check Conan credentials',
      handle: ({ caller, reply }) => confirmCredentials(caller, reply),
    }),
    route({
      ...kit.searchRoute,
      path: '/packages/conan/v1/conans/search',
      summary: 'Search Conan recipes of all projects',
      gate,
      params: kit.query,
      handle: ({ caller, params }) => service.searchAnywhere(services, caller, params.q),
    }),
  ];
}

function recipeRoutes(services: Services, gates: Gates): Route[] {
  const address = kit.addressOfInstance(services);
  return [
    route({
      ...kit.getRoute,
      path: '/packages/conan/v1/conans/*',
      summary: 'Get a snapshot, download URLs or a search of a Conan recipe',
      gate: namedByRecipe(packageGate(services, gates, 'read_package')),
      params: kit.path,
      handle: ({ subject, params }) =>
        service.answerV1(services, subject, kit.requireRequest(parseV1Path(params['*'])), address),
    }),
    route({
      ...kit.postRoute,
      path: '/packages/conan/v1/conans/*',
      summary: 'Get upload URLs of a Conan recipe or package',
      gate: namedByRecipe(packageGate(services, gates, 'create_package')),
      params: kit.path,
      handle: ({ params, request, reply }) => {
        reply.code(200);
        return service.answerUpload(kit.requireRequest(parseV1Path(params['*'])), address, kit.fileNames(request));
      },
    }),
    route({
      ...kit.deleteRoute,
      path: '/packages/conan/v1/conans/*',
      summary: 'Delete a Conan recipe and its packages',
      gate: namedByRecipe(gates.project('destroy_package')),
      params: kit.path,
      handle: ({ caller, subject, params }) => service.removeByV1(services, caller, subject, parseV1Path(params['*'])),
    }),
  ];
}

function fileRoutes(services: Services, gates: Gates): Route[] {
  return [
    route({
      ...kit.getRoute,
      path: '/packages/conan/v1/files/*',
      summary: 'Download a file of a Conan recipe or package',
      gate: namedByRecipe(packageGate(services, gates, 'read_package')),
      params: kit.path,
      handle: ({ subject, params, reply }) =>
        service.sendFile(services, subject, kit.requireRequest(parseV1FilePath(params['*'])), reply),
    }),
    route({
      ...kit.putRoute,
      path: '/packages/conan/v1/files/*',
      summary: 'Upload a file of a Conan recipe or package',
      gate: namedByRecipe(packageGate(services, gates, 'create_package')),
      params: kit.path,
      handle: ({ caller, subject, params, request }) =>
        receiveFile(services, caller, subject, parseV1FilePath(params['*']), request),
    }),
  ];
}
