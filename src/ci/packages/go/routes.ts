import Type from 'typebox';
import type { Gates } from '../../../access/gates.ts';
import { type Route, route } from '../../../access/route.ts';
import type { Services } from '../../../access/services.ts';
import { param, required } from '../../../platform/http/params.ts';
import { withChallenge } from '../basic-challenge.ts';
import { packageGate } from '../gate.ts';
import { project } from '../schema.ts';
import { answerGo } from './service.ts';

/** What the go command asks a proxy for, as it asks for it. */
export function goRoutes(services: Services, gates: Gates): Route[] {
  return [
    route({
      tag: 'packages',
      method: 'GET',
      path: '/projects/:id/packages/go/*',
      summary: 'Get the versions of a Go module, or what the go command is told of one, its go.mod or its zip',
      gate: withChallenge(packageGate(services, gates, 'read_package')),
      params: {
        ...project,
        '*': required(
          param.string({
            description: 'The path of the module, and @v/list, @v/version.info, .mod or .zip, or @latest',
          }),
        ),
      },
      jobToken: true,
      deployScopes: ['read_repository'],
      responses: { 200: Type.String() },
      handle: (call) => answerGo(services, call, call.params['*']),
    }),
  ];
}
