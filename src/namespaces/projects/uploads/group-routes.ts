import Type from 'typebox';
import type { Gates } from '../../../access/gates.ts';
import { ownerColumnsOf } from '../../../access/project-or-group.ts';
import { type Route, route } from '../../../access/route.ts';
import type { Services } from '../../../access/services.ts';
import { ParameterError } from '../../../platform/http/errors.ts';
import { param, required } from '../../../platform/http/params.ts';
import {
  fileSchema,
  groupParam,
  ListedUpload,
  ofGroupByNumberParams,
  ofGroupBySecretParams,
  Upload,
} from './schema.ts';
import { sendUpload } from './send.ts';
import * as uploads from './service.ts';

const tag = 'group uploads';

/** The download route used by links in the texts of a group. */
export function groupDownloadRoute(services: Services, gates: Gates): Route {
  return route({
    method: 'GET',
    path: '/groups/:id/uploads/:secret/:filename',
    tag,
    summary: 'Download a group upload by secret and filename',
    gate: gates.group('read_upload'),
    params: ofGroupBySecretParams,
    responses: { 200: fileSchema },
    handle: ({ subject, params, reply }) => sendUpload(services, reply, ownerColumnsOf(subject), params),
  });
}

export function groupUploadRoutes(services: Services, gates: Gates): Route[] {
  const admin = gates.group('admin_upload');
  return [
    route({
      method: 'POST',
      path: '/groups/:id/uploads',
      tag,
      summary: 'Upload a file to a group',
      gate: gates.group('upload_file'),
      params: { ...groupParam, file: required(param.file()) },
      responses: { 201: Upload },
      handle: ({ caller, subject, params }) => {
        if (params.file === '') throw new ParameterError('file is invalid');
        return uploads.uploadFile(services, caller, subject, params.file);
      },
    }),
    route({
      method: 'GET',
      path: '/groups/:id/uploads',
      tag,
      summary: 'List group uploads',
      gate: admin,
      params: groupParam,
      paginated: true,
      responses: { 200: Type.Array(ListedUpload) },
      handle: ({ subject, page }) => uploads.listUploads(services, subject, page),
    }),
    route({
      method: 'GET',
      path: '/groups/:id/uploads/:upload_id',
      tag,
      summary: 'Download a group upload by ID',
      gate: admin,
      params: ofGroupByNumberParams,
      responses: { 200: fileSchema },
      handle: ({ subject, params: { upload_id }, reply }) =>
        sendUpload(services, reply, ownerColumnsOf(subject), { upload_id }),
    }),
    groupDownloadRoute(services, gates),
    route({
      method: 'DELETE',
      path: '/groups/:id/uploads/:upload_id',
      tag,
      summary: 'Delete a group upload by ID',
      gate: admin,
      params: ofGroupByNumberParams,
      responses: { 204: null },
      handle: ({ subject, params: { upload_id } }) => uploads.deleteUpload(services, subject, { upload_id }),
    }),
    route({
      method: 'DELETE',
      path: '/groups/:id/uploads/:secret/:filename',
      tag,
      summary: 'Delete a group upload by secret and filename',
      gate: admin,
      params: ofGroupBySecretParams,
      responses: { 204: null },
      handle: ({ subject, params }) => uploads.deleteUpload(services, subject, params),
    }),
  ];
}
