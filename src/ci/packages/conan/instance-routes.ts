import type { Gates } from '../../../access/gates.ts';
import { type Route, route } from '../../../access/route.ts';
import type { Services } from '../../../access/services.ts';
import { packageGate } from '../gate.ts';
import { namedByRecipe } from './gate.ts';
import * as kit from './kit.ts';
import { readFirst, readFirstFile } from './paths.ts';
import * as service from './service.ts';
import { confirm, pong, sendToken } from './sign-in.ts';
import { takeFile } from './upload.ts';

/** The same where no project is named, but by the user of a recipe: the first version of the protocol alone knows it. */
export function instanceRoutes(services: Services, gates: Gates): Route[] {
  return [...signInRoutes(services, gates), ...recipeRoutes(services, gates), ...fileRoutes(services, gates)];
}

function signInRoutes(services: Services, { anyone: gate }: Gates): Route[] {
  const textRoute = { ...kit.textRoute, gate, params: {} };
  return [
    route({
      ...textRoute,
      path: '/packages/conan/v1/ping',
      summary: 'See whether this is a registry for Conan',
      handle: ({ reply }) => pong(reply),
    }),
    route({
      ...textRoute,
      path: '/packages/conan/v1/users/authenticate',
      summary: 'Get what Conan signs in with',
      handle: ({ caller, request, reply }) => sendToken(services, caller, request, reply),
    }),
    route({
      ...textRoute,
      path: '/packages/conan/v1/users/check_credentials',
      summary: 'Check what Conan signs in with',
      handle: ({ caller, reply }) => confirm(caller, reply),
    }),
    route({
      ...kit.finding,
      path: '/packages/conan/v1/conans/search',
      summary: 'Find Conan recipes of all projects that one reads',
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
      ...kit.reading,
      path: '/packages/conan/v1/conans/*',
      summary: 'Get what there is of the Conan recipe of a project, or of a package of it, and where',
      gate: namedByRecipe(packageGate(services, gates, 'read_package')),
      params: kit.path,
      handle: ({ subject, params }) =>
        service.answerFirst(services, subject, kit.requireAsked(readFirst(params['*'])), address),
    }),
    route({
      ...kit.announcing,
      path: '/packages/conan/v1/conans/*',
      summary: 'Get where files of the Conan recipe of a project, or of a package of it, are sent to',
      gate: namedByRecipe(packageGate(services, gates, 'create_package')),
      params: kit.path,
      handle: ({ params, request, reply }) => {
        reply.code(200);
        return service.answerUpload(kit.requireAsked(readFirst(params['*'])), address, kit.fileNames(request));
      },
    }),
    route({
      ...kit.removing,
      path: '/packages/conan/v1/conans/*',
      summary: 'Delete the Conan recipe of a project with its packages',
      gate: namedByRecipe(gates.project('destroy_package')),
      params: kit.path,
      handle: ({ caller, subject, params }) => service.removeFirst(services, caller, subject, readFirst(params['*'])),
    }),
  ];
}

function fileRoutes(services: Services, gates: Gates): Route[] {
  return [
    route({
      ...kit.reading,
      path: '/packages/conan/v1/files/*',
      summary: 'Download a file of the Conan recipe of a project, or of a package of it',
      gate: namedByRecipe(packageGate(services, gates, 'read_package')),
      params: kit.path,
      handle: ({ subject, params, reply }) =>
        service.sendFile(services, subject, kit.requireAsked(readFirstFile(params['*'])), reply),
    }),
    route({
      ...kit.publishing,
      path: '/packages/conan/v1/files/*',
      summary: 'Publish a file of the Conan recipe of a project, or of a package of it',
      gate: namedByRecipe(packageGate(services, gates, 'create_package')),
      params: kit.path,
      handle: ({ caller, subject, params, request }) =>
        takeFile(services, caller, subject, readFirstFile(params['*']), request),
    }),
  ];
}
