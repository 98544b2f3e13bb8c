import type { Gates } from '../../../access/gates.ts';
import { type Route, route } from '../../../access/route.ts';
import type { Services } from '../../../access/services.ts';
import { signedInPushGate } from '../../repository/public.ts';
import { CommitDetail } from '../schema.ts';
import * as schema from './schema.ts';
import { updateSubmodule } from './service.ts';

/** `/projects/:id/repository/submodules`. */
export function submoduleRoutes(services: Services, gates: Gates): Route[] {
  return [
    route({
      method: 'PUT',
      path: '/projects/:id/repository/submodules/:submodule',
      tag: 'commits',
      summary: 'Update an existing submodule reference',
      gate: signedInPushGate(gates),
      params: schema.submodule,
      responses: { 200: CommitDetail },
      handle: ({ caller, subject, params }) => updateSubmodule(services, { caller, subject }, params),
    }),
  ];
}
