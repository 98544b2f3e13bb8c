import type { Gates } from '../../../../access/gates.ts';
import { type Route, route } from '../../../../access/route.ts';
import type { Services } from '../../../../access/services.ts';
import { param, required } from '../../../../platform/http/params.ts';
import { withChallenge } from '../../basic-challenge.ts';
import { groupPackageGate, packageGate } from '../../gate.ts';
import { group, project } from '../../schema.ts';
import { download } from '../download.ts';
import { sendIndex } from './service.ts';

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
      ...download,
      path: '/projects/:id/packages/debian/dists/*',
      summary: 'Download the release or an index of a Debian distribution of a project',
      gate: withChallenge(packageGate(services, gates, 'read_package')),
      params: { ...project, ...path },
      handle: ({ subject, params, reply }) =>
        sendIndex(services, { project_id: subject.project.id }, params['*'], reply),
    }),
    route({
      ...download,
      path: '/groups/:id/-/packages/debian/dists/*',
      summary: 'Download the release or an index of a Debian distribution of a group',
      gate: withChallenge(groupPackageGate(services, gates, 'read_package')),
      params: { ...group, ...path },
      handle: ({ subject, params, reply }) =>
        sendIndex(services, { group_id: subject.namespaceId }, params['*'], reply),
    }),
  ];
}
