import type { Gates } from '../../../../access/gates.ts';
import { type Route, route } from '../../../../access/route.ts';
import type { Services } from '../../../../access/services.ts';
import { param, required } from '../../../../platform/http/params.ts';
import { challengeFor, withChallenge } from '../../basic-challenge.ts';
import { groupPackageGate, packageGate } from '../../gate.ts';
import { group, project } from '../../schema.ts';
import { download } from '../download.ts';
import { sendFile, sendFileOfGroup } from './service.ts';

const address = {
  distribution: required(param.string({ description: 'Codename or suite' })),
  letter: required(param.string({ description: 'First letter of the source package, or `lib` and the next' })),
  package_name: required(param.string({ description: 'Source package' })),
  package_version: required(param.string({ description: 'Version of the source package' })),
  file_name: required(param.string()),
};

/** The files of distributions. */
export function poolRoutes(services: Services, gates: Gates): Route[] {
  return [
    route({
      ...download,
      path: '/projects/:id/packages/debian/pool/:distribution/:letter/:package_name/:package_version/:file_name',
      summary: 'Download a file of a Debian package',
      gate: withChallenge(packageGate(services, gates, 'read_package')),
      params: { ...project, ...address },
      handle: ({ subject, params, reply }) => sendFile(services, { project_id: subject.project.id }, params, reply),
    }),
    route({
      ...download,
      path: '/groups/:id/-/packages/debian/pool/:distribution/:project_id/:letter/:package_name/:package_version/:file_name',
      summary: 'Download a file of a Debian package of a project in a group',
      gate: withChallenge(groupPackageGate(services, gates)),
      params: { ...group, project_id: required(param.integer()), ...address },
      handle: ({ caller, subject, params, reply }) =>
        sendFileOfGroup(services, caller, subject, params, reply).catch((error: unknown) => {
          throw challengeFor(caller, error);
        }),
    }),
  ];
}
