import Type from 'typebox';
import type { Gates } from '../../../../access/gates.ts';
import { type Route, route } from '../../../../access/route.ts';
import type { Services } from '../../../../access/services.ts';
import { param, required } from '../../../../platform/http/params.ts';
import { withChallenge } from '../../basic-challenge.ts';
import { groupPackageGate, packageGate, readingScopes } from '../../gate.ts';
import { project } from '../../schema.ts';
import { sendIndex } from './service.ts';

const reading = {
  tag: 'packages',
  method: 'GET',
  jobToken: true,
  deployScopes: readingScopes,
  responses: { 200: Type.String({ format: 'binary' }) },
} as const;
const group = { id: required(param.string({ description: 'ID or URL-encoded path of the group' })) };
const path = {
  '*': required(
    param.string({
      description:
        'Codename or suite, and `Release`, `Release.gpg`, `InRelease` or a path in it, e.g. `main/binary-amd64/Packages`',
    }),
  ),
};

/** Releases of distributions and their indexes, as apt reads them. */
export function indexRoutes(services: Services, gates: Gates): Route[] {
  return [
    route({
      ...reading,
      path: '/projects/:id/packages/debian/dists/*',
      summary: 'Download the release or an index of a Debian distribution of a project',
      gate: withChallenge(packageGate(services, gates, 'read_package')),
      params: { ...project, ...path },
      handle: ({ subject, params, reply }) =>
        sendIndex(services, { project_id: subject.project.id }, params['*'], reply),
    }),
    route({
      ...reading,
      path: '/groups/:id/-/packages/debian/dists/*',
      summary: 'Download the release or an index of a Debian distribution of a group',
      gate: withChallenge(groupPackageGate(services, gates, 'read_package')),
      params: { ...group, ...path },
      handle: ({ subject, params, reply }) =>
        sendIndex(services, { group_id: subject.namespaceId }, params['*'], reply),
    }),
  ];
}
