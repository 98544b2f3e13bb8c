import type { Gates } from '../../../access/gates.ts';
import { type Route, route } from '../../../access/route.ts';
import type { Services } from '../../../access/services.ts';
import { withChallenge } from '../basic-challenge.ts';
import { packageGate } from '../gate.ts';
import { project } from '../schema.ts';
import { instanceRoutes } from './instance-routes.ts';
import * as kit from './kit.ts';
import { conanOperations } from './operations.ts';
import { readFirst, readFirstFile, readSecond } from './paths.ts';
import * as service from './service.ts';
import { pong } from './sign-in.ts';
import { takeFile } from './upload.ts';

/** What Conan asks for, as it asks for it: 1 without revisions by the first version of the protocol, and else by the second. */
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
      summary: 'See whether a project is a registry for Conan',
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
      ...kit.reading,
      path: '/projects/:id/packages/conan/v1/conans/*',
      summary: 'Get what there is of a Conan recipe, or of a package of it, and where',
      gate,
      params: path,
      handle: ({ subject, params }) => {
        const address = kit.addressOfProject(services, subject.project);
        return service.answerFirst(services, subject, kit.requireAsked(readFirst(params['*'])), address);
      },
    }),
    route({
      ...kit.announcing,
      path: '/projects/:id/packages/conan/v1/conans/*',
      summary: 'Get where files of a Conan recipe, or of a package of it, are sent to',
      gate: publishing,
      params: path,
      handle: ({ subject, params, request, reply }) => {
        const address = kit.addressOfProject(services, subject.project);
        reply.code(200);
        return service.answerUpload(kit.requireAsked(readFirst(params['*'])), address, kit.fileNames(request));
      },
    }),
    route({
      ...kit.removing,
      path: '/projects/:id/packages/conan/v1/conans/*',
      summary: 'Delete a Conan recipe with its packages',
      gate: withChallenge(gates.project('destroy_package')),
      params: path,
      handle: ({ caller, subject, params }) => service.removeFirst(services, caller, subject, readFirst(params['*'])),
    }),
    route({
      ...kit.reading,
      path: '/projects/:id/packages/conan/v1/files/*',
      summary: 'Download a file of a Conan recipe, or of a package of it',
      gate,
      params: path,
      handle: ({ subject, params, reply }) =>
        service.sendFile(services, subject, kit.requireAsked(readFirstFile(params['*'])), reply),
    }),
    route({
      ...kit.publishing,
      path: '/projects/:id/packages/conan/v1/files/*',
      summary: 'Publish a file of a Conan recipe, or of a package of it',
      gate: publishing,
      params: path,
      handle: ({ caller, subject, params, request }) =>
        takeFile(services, caller, subject, readFirstFile(params['*']), request),
    }),
  ];
}

function secondRoutes(services: Services, gates: Gates): Route[] {
  const gate = withChallenge(packageGate(services, gates, 'read_package'));
  return [
    route({ ...conanOperations(services, gates).search, path: '/projects/:id/packages/conan/v2/conans/search' }),
    route({
      ...kit.reading,
      path: '/projects/:id/packages/conan/v2/conans/*',
      summary: 'Get the revisions of a Conan recipe, or of a package of it, what is in one, or a file of it',
      gate,
      params: path,
      handle: ({ subject, params, reply }) =>
        service.answerSecond(services, subject, kit.requireAsked(readSecond(params['*'])), reply),
    }),
    route({
      ...kit.publishing,
      path: '/projects/:id/packages/conan/v2/conans/*',
      summary: 'Publish a file of a revision of a Conan recipe, or of a package of it',
      gate: withChallenge(packageGate(services, gates, 'create_package')),
      params: path,
      handle: ({ caller, subject, params, request }) =>
        takeFile(services, caller, subject, readSecond(params['*']), request),
    }),
    route({
      ...kit.removing,
      path: '/projects/:id/packages/conan/v2/conans/*',
      summary: 'Delete a revision of a Conan recipe, its packages, or a revision of one of these',
      gate: withChallenge(gates.project('destroy_package')),
      params: path,
      handle: ({ caller, subject, params }) => service.removeSecond(services, caller, subject, readSecond(params['*'])),
    }),
  ];
}
