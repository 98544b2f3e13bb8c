import type { Gates } from '../../access/gates.ts';
import { type Route, route } from '../../access/route.ts';
import type { Services } from '../../access/services.ts';
import { projectParam } from '../../namespaces/projects/public.ts';
import { mutuallyExclusive } from '../../platform/http/params.ts';
import { PublicKey } from '../remote-mirrors/public.ts';
import * as schema from './schema.ts';
import * as service from './service.ts';

const tag = 'pull mirrors';

export function pullMirrorRoutes(services: Services, gates: Gates): Route[] {
  const gate = gates.project('admin_remote_mirror', { signedIn: true });
  return [
    route({
      method: 'GET',
      path: '/projects/:id/mirror/pull',
      tag,
      summary: 'Get the pull mirror of a project',
      gate,
      params: projectParam,
      responses: { 200: schema.PullMirror },
      handle: ({ subject }) => service.getPullMirror(services, subject),
    }),
    route({
      method: 'PUT',
      path: '/projects/:id/mirror/pull',
      tag,
      summary: 'Configure pull mirroring for a project',
      gate,
      params: schema.pullMirrorChange,
      rules: [mutuallyExclusive('only_mirror_protected_branches', 'mirror_branch_regex')],
      responses: { 200: schema.PullMirror },
      handle: ({ caller, subject, params }) => service.changePullMirror(services, caller, subject, params),
    }),
    route({
      method: 'GET',
      path: '/projects/:id/mirror/pull/public_key',
      tag,
      summary: 'Get the public key of a pull mirror',
      gate,
      params: projectParam,
      responses: { 200: PublicKey },
      handle: ({ subject }) => service.getPublicKey(services, subject),
    }),
    route({
      method: 'POST',
      path: '/projects/:id/mirror/pull',
      tag,
      summary: 'Start the pull mirroring process for a project',
      gate,
      params: projectParam,
      responses: { 200: null },
      handle: ({ subject }) => service.startPull(services, subject),
    }),
  ];
}
