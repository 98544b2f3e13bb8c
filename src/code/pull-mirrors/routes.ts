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
      summary: 'Get how a project follows the repository that it is a mirror of',
      gate,
      params: projectParam,
      responses: { 200: schema.PullMirror },
      handle: ({ subject }) => service.getPullMirror(services, subject),
    }),
    route({
      method: 'PUT',
      path: '/projects/:id/mirror/pull',
      tag,
      summary: 'Make a project the mirror of a repository, or change how it is',
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
      summary: 'Get the key that a project proves itself with to the mirrored repository',
      gate,
      params: projectParam,
      responses: { 200: PublicKey },
      handle: ({ subject }) => service.getPublicKey(services, subject),
    }),
    route({
      method: 'POST',
      path: '/projects/:id/mirror/pull',
      tag,
      summary: 'Pull from the mirrored repository now',
      gate,
      params: projectParam,
      responses: { 200: null },
      handle: ({ subject }) => service.startPull(services, subject),
    }),
  ];
}
