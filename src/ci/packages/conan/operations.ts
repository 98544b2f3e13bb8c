import type { Actor } from '../../../access/actor.ts';
import type { Gates } from '../../../access/gates.ts';
import type { Services } from '../../../access/services.ts';
import type { ProjectSubject } from '../../../access/subjects.ts';
import type { Call } from '../../../platform/http/endpoint.ts';
import { withChallenge } from '../basic-challenge.ts';
import { packageGate } from '../gate.ts';
import { project } from '../schema.ts';
import * as kit from './kit.ts';
import * as service from './service.ts';
import { confirmCredentials, sendToken } from './sign-in.ts';

/** Operations shared by both versions of the protocol; the routes add their paths. */
export function conanOperations(services: Services, gates: Gates) {
  type ConanCall<Params = unknown> = Call<Actor, Params, ProjectSubject>;
  const gate = withChallenge(packageGate(services, gates, 'read_package'));
  const textRoute = { ...kit.textRoute, gate, params: project };
  return {
    authenticate: {
      ...textRoute,
      summary: 'Get a Conan authentication token for a project',
      handle: ({ caller, request, reply }: ConanCall) => sendToken(services, caller, request, reply),
    },
    check: {
      ...textRoute,
      summary: 'Check Conan credentials for a project',
      handle: ({ caller, reply }: ConanCall) => confirmCredentials(caller, reply),
    },
    search: {
      ...kit.searchRoute,
      summary: 'Search Conan recipes of a project',
      gate,
      params: { ...project, ...kit.query },
      handle: ({ subject, params }: ConanCall<{ readonly q: string }>) =>
        service.search(services, [subject.project.id], params.q),
    },
  };
}
