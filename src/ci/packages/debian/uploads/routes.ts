import type { Gates } from '../../../../access/gates.ts';
import { type Route, route } from '../../../../access/route.ts';
import type { Services } from '../../../../access/services.ts';
import { param, required } from '../../../../platform/http/params.ts';
import { Message } from '../../../../platform/http/schema.ts';
import { withChallenge } from '../../basic-challenge.ts';
import { packageGate, publishingScopes } from '../../gate.ts';
import { project } from '../../schema.ts';
import { checkUpload, receiveFile } from './upload.ts';

const params = {
  ...project,
  file_name: required(param.string({ description: 'File name' })),
  distribution: param.string({ description: 'Codename or suite, to add a binary package without `.changes`' }),
  component: param.string({ description: 'Component; required with `distribution`' }),
};

/** Uploads, by `dput` or one by one. */
export function uploadRoutes(services: Services, gates: Gates): Route[] {
  const uploading = {
    tag: 'packages',
    method: 'PUT',
    gate: withChallenge(packageGate(services, gates, 'create_package')),
    params,
    jobToken: true,
    deployScopes: publishingScopes,
  } as const;
  return [
    route({
      ...uploading,
      path: '/projects/:id/packages/debian/:file_name',
      summary: 'Upload a file of a Debian package',
      rawBody: true,
      responses: { 201: Message },
      handle: async ({ caller, subject, params, request }) => {
        await receiveFile(services, caller, subject, request, params);
        return { message: '201 Created' };
      },
    }),
    route({
      ...uploading,
      path: '/projects/:id/packages/debian/:file_name/authorize',
      summary: 'Check whether a file of a Debian package may be uploaded',
      responses: { 200: Message },
      handle: async ({ subject, params }) => {
        await checkUpload(services, subject, params);
        return { message: '200 OK' };
      },
    }),
  ];
}
