import Type from 'typebox';
import type { Gates } from '../../../access/gates.ts';
import { ownerColumnsOf } from '../../../access/project-or-group.ts';
import { type Route, route } from '../../../access/route.ts';
import type { Services } from '../../../access/services.ts';
import { ParameterError } from '../../../platform/http/errors.ts';
import { param, required } from '../../../platform/http/params.ts';
import { projectParam } from '../schema.ts';
import { byNumberParams, bySecretParams, fileSchema, ListedUpload, Upload } from './schema.ts';
import { sendUpload } from './send.ts';
import * as uploads from './service.ts';

const tag = 'project uploads';

/** The download route used by links in texts. */
export function downloadRoute(services: Services, gates: Gates): Route {
  return route({
    method: 'GET',
    path: '/projects/:id/uploads/:secret/:filename',
    tag,
    summary: 'Download a project upload by secret and filename',
    gate: gates.project('read_project'),
    params: bySecretParams,
    responses: { 200: fileSchema },
    handle: ({ subject, params, reply }) => sendUpload(services, reply, ownerColumnsOf(subject), params),
  });
}

export function uploadRoutes(services: Services, gates: Gates): Route[] {
  const admin = gates.project('admin_project');
  return [
    route({
      method: 'POST',
      path: '/projects/:id/uploads',
      tag,
      summary: 'Upload a file to a project',
      gate: gates.project('upload_file'),
      params: { ...projectParam, file: required(param.file()) },
      responses: { 201: Upload },
      handle: ({ caller, subject, params }) => {
        if (params.file === '') throw new ParameterError('file is invalid');
        return uploads.uploadFile(services, caller, subject, params.file);
      },
    }),
    route({
      method: 'GET',
      path: '/projects/:id/uploads',
      tag,
      summary: 'List project uploads',
      gate: gates.project('admin_project'),
      params: projectParam,
      paginated: true,
      responses: { 200: Type.Array(ListedUpload) },
      handle: ({ subject, page }) => uploads.listUploads(services, subject, page),
    }),
    route({
      method: 'GET',
      path: '/projects/:id/uploads/:upload_id',
      tag,
      summary: 'Download a project upload by ID',
      gate: admin,
      params: byNumberParams,
      responses: { 200: fileSchema },
      handle: ({ subject, params, reply }) =>
        sendUpload(services, reply, ownerColumnsOf(subject), { upload_id: params.upload_id }),
    }),
    downloadRoute(services, gates),
    route({
      method: 'DELETE',
      path: '/projects/:id/uploads/:upload_id',
      tag,
      summary: 'Delete a project upload by ID',
      gate: admin,
      params: byNumberParams,
      responses: { 204: null },
      handle: ({ subject, params }) => uploads.deleteUpload(services, subject, { upload_id: params.upload_id }),
    }),
    route({
      method: 'DELETE',
      path: '/projects/:id/uploads/:secret/:filename',
      tag,
      summary: 'Delete a project upload by secret and filename',
      gate: admin,
      params: bySecretParams,
      responses: { 204: null },
      handle: ({ subject, params }) => uploads.deleteUpload(services, subject, params),
    }),
  ];
}
