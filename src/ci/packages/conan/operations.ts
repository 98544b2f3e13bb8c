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
import { confirm, sendToken } from './sign-in.ts';

/** The operations that both versions of the protocol share. The routes add a path to each. */
export function conanOperations(services: Services, gates: Gates) {
  type Asked<Params = unknown> = Call<Actor, Params, ProjectSubject>;
  const gate = withChallenge(packageGate(services, gates, 'read_package'));
  const textRoute = { ...kit.textRoute, gate, params: project };
  return {
    authenticate: {
      ...textRoute,
      summary: 'Get what Conan signs in to a project with',
      handle: ({ caller, request, reply }: Asked) => sendToken(services, caller, request, reply),
    },
    check: {
      ...textRoute,
      summary: 'Check what Conan signs in to a project with',
      handle: ({ caller, reply }: Asked) => confirm(caller, reply),
    },
    search: {
      ...kit.finding,
      summary: 'Find Conan recipes of a project',
      gate,
      params: { ...project, ...kit.query },
      handle: ({ subject, params }: Asked<{ readonly q: string }>) =>
        service.search(services, [subject.project.id], params.q),
    },
  };
}
