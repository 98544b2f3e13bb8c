import Type from 'typebox';
import type { Gates } from '../../../access/gates.ts';
import { type Route, route } from '../../../access/route.ts';
import type { Services } from '../../../access/services.ts';
import { param, required } from '../../../platform/http/params.ts';
import { withChallenge } from '../basic-challenge.ts';
import { packageGate } from '../gate.ts';
import { project } from '../schema.ts';
import { answerGo } from './service.ts';

/** The Go module proxy API. */
export function goRoutes(services: Services, gates: Gates): Route[] {
  return [
    route({
      tag: 'packages',
      method: 'GET',
      path: '/projects/:id/packages/go/*',
      summary: 'Get versions, metadata, go.mod or zip of a Go module',
      gate: withChallenge(packageGate(services, gates, 'read_package')),
      params: {
        ...project,
        '*': required(
          param.string({
            description: 'Module path, followed by `@v/list`, `@v/version.info`, `.mod` or `.zip`, or `@latest`',
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
