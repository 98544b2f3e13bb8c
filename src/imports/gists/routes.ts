import type { Gates } from '../../access/gates.ts';
import { type Route, route } from '../../access/route.ts';
import type { Services } from '../../access/services.ts';
import { param, required } from '../../platform/http/params.ts';
import { importGists } from './service.ts';

const tag = 'imports';
const params = {
  personal_access_token: required(param.string({ description: 'Personal access token of the source host' })),
};

export function gistRoutes(services: Services, gates: Gates): Route[] {
  return [
    route({
      method: 'POST',
      path: '/import/hosta/gists',
      tag,
      summary: 'Import GitHub gists',
      gate: gates.signedIn,
      params,
      responses: { 202: null },
      handle: ({ caller, params: { personal_access_token: token } }) => importGists(services, caller, token),
    }),
    route({
      method: 'POST',
      path: '/import/github/gists',
      tag,
      summary: 'Import GitHub gists into personal snippets',
      gate: gates.signedIn,
      params,
      responses: { 202: null },
      handle: ({ caller, params: { personal_access_token: token } }) => importGists(services, caller, token),
    }),
  ];
}
