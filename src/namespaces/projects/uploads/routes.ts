import type { FastifyReply } from 'fastify';
import Type from 'typebox';
import type { Gates } from '../../../access/gates.ts';
import { type Route, route } from '../../../access/route.ts';
import type { Services } from '../../../access/services.ts';
import type { ProjectSubject } from '../../../access/subjects.ts';
import { BasicUser } from '../../../people/users/public.ts';
import { ParameterError } from '../../../platform/http/errors.ts';
import { param, required } from '../../../platform/http/params.ts';
import { disposition } from '../../../platform/http/raw.ts';
import { entity, nullable, timestamp } from '../../../platform/http/schema.ts';
import * as params from '../params.ts';
import { pictureType } from './names.ts';
import * as uploads from './service.ts';

const tag = 'project uploads';

const Upload = entity('ProjectUpload', {
  id: Type.Integer(),
  alt: Type.String(),
  url: Type.String(),
  full_path: Type.String(),
  markdown: Type.String(),
});
const ListedUpload = entity('MarkdownUpload', {
  id: Type.Integer(),
  size: Type.Integer(),
  filename: Type.String(),
  created_at: timestamp(),
  uploaded_by: nullable(BasicUser),
});

const file = Type.String({ format: 'binary' });
const byNumber = { ...params.project, upload_id: required(param.integer()) };
const bySecret = { ...params.project, secret: required(param.string()), filename: required(param.string()) };

/** Answers with the file of an upload. */
export async function sendUpload(
  services: Services,
  reply: FastifyReply,
  subject: Pick<ProjectSubject, 'project'>,
  name: uploads.UploadName,
) {
  const { upload, stream } = await uploads.openUpload(services, subject, name);
  const type = pictureType(upload.filename);
  // What people upload is never a page of ours: only pictures are shown, nothing is guessed, nothing may run.
  reply.headers({
    'content-type': type ?? 'application/octet-stream',
    'content-length': upload.size,
    'content-disposition': disposition(type === undefined ? 'attachment' : 'inline', upload.filename),
    'cache-control': 'max-age=300, private, must-revalidate',
    'x-content-type-options': 'nosniff',
    'content-security-policy': "default-src 'none'; sandbox",
  });
  return reply.send(stream);
}

/** The download that texts link to. */
export function downloadRoute(services: Services, gates: Gates): Route {
  return route({
    method: 'GET',
    path: '/projects/:id/uploads/:secret/:filename',
    tag,
    summary: 'Download an upload by its secret',
    gate: gates.project('read_project'),
    params: bySecret,
    answers: { 200: file },
    handle: ({ subject, params, reply }) => sendUpload(services, reply, subject, params),
  });
}

/** `/projects/:id/uploads`. */
export function uploadRoutes(services: Services, gates: Gates): Route[] {
  const admin = gates.project('admin_project');
  return [
    route({
      method: 'POST',
      path: '/projects/:id/uploads',
      tag,
      summary: 'Upload a file for use in texts',
      gate: gates.project('upload_file'),
      params: { ...params.project, file: required(param.file()) },
      answers: { 201: Upload },
      handle: ({ caller, subject, params }) => {
        if (params.file === '') throw new ParameterError('file is invalid');
        return uploads.uploadFile(services, caller, subject, params.file);
      },
    }),
    route({
      method: 'GET',
      path: '/projects/:id/uploads',
      tag,
      summary: 'List uploads',
      gate: gates.project('admin_project'),
      params: params.project,
      paginated: true,
      answers: { 200: Type.Array(ListedUpload) },
      handle: ({ subject, page }) => uploads.listUploads(services, subject, page),
    }),
    route({
      method: 'GET',
      path: '/projects/:id/uploads/:upload_id',
      tag,
      summary: 'Download an upload by its number',
      gate: admin,
      params: byNumber,
      answers: { 200: file },
      handle: ({ subject, params, reply }) => sendUpload(services, reply, subject, { upload_id: params.upload_id }),
    }),
    downloadRoute(services, gates),
    route({
      method: 'DELETE',
      path: '/projects/:id/uploads/:upload_id',
      tag,
      summary: 'Delete an upload by its number',
      gate: admin,
      params: byNumber,
      answers: { 204: null },
      handle: ({ subject, params }) => uploads.deleteUpload(services, subject, { upload_id: params.upload_id }),
    }),
    route({
      method: 'DELETE',
      path: '/projects/:id/uploads/:secret/:filename',
      tag,
      summary: 'Delete an upload by its secret',
      gate: admin,
      params: bySecret,
      answers: { 204: null },
      handle: ({ subject, params }) => uploads.deleteUpload(services, subject, params),
    }),
  ];
}
