import type { FastifyReply } from 'fastify';
import Type from 'typebox';
import type { Gates } from '../../access/gates.ts';
import { type Route, route } from '../../access/route.ts';
import type { Services } from '../../access/services.ts';
import { NotFound } from '../../platform/http/errors.ts';
import { sendRaw } from '../../platform/http/responses/raw.ts';
import { readingGate } from '../pipelines/public.ts';
import { contentTypeOf } from './content-type.ts';
import { archiveOfJob, archiveOfRef } from './find.ts';
import * as schema from './schema.ts';
import * as service from './service.ts';

const tag = 'job artifacts';
const file = Type.String({ format: 'binary' });
const binaryType = 'application/octet-stream';

function send(reply: FastifyReply, { stream, size, filename }: service.OpenFile, type: string): FastifyReply {
  return sendRaw(reply, stream, { size, filename, type, attachment: true }).header('x-content-type-options', 'nosniff');
}

export function artifactRoutes(services: Services, gates: Gates): Route[] {
  return [
    ...jobArtifactRoutes(services, gates),
    ...refArtifactRoutes(services, gates),
    ...modifyingRoutes(services, gates),
  ];
}

function jobArtifactRoutes(services: Services, gates: Gates): Route[] {
  const gate = readingGate(gates);
  return [
    route({
      method: 'GET',
      path: '/projects/:id/jobs/:job_id/artifacts',
      tag,
      summary: 'Download job artifacts by job ID',
      gate,
      jobToken: true,
      params: schema.readingOfJob,
      responses: { 200: file },
      async handle({ subject, params, reply }) {
        const found = await archiveOfJob(services, subject, params.job_id);
        return send(reply, await service.openArchive(services, found), binaryType);
      },
    }),
    route({
      method: 'GET',
      path: '/projects/:id/jobs/:job_id/artifacts/tree',
      tag,
      summary: 'List artifacts tree of a job',
      gate,
      jobToken: true,
      params: schema.tree,
      paginated: true,
      responses: { 200: Type.Array(schema.ArtifactTreeEntry) },
      handle: ({ subject, params, page }) => service.listTree(services, subject, params.job_id, params, page),
    }),
    route({
      method: 'GET',
      path: '/projects/:id/jobs/:job_id/artifacts/*',
      tag,
      summary: 'Download a single artifact file by job ID',
      gate,
      jobToken: true,
      params: schema.fileOfJob,
      responses: { 200: file },
      async handle({ subject, params, reply }) {
        const found = await archiveOfJob(services, subject, params.job_id);
        const opened = await service.openEntry(services, found, params['*']);
        return send(reply, opened, contentTypeOf(opened.filename));
      },
    }),
  ];
}

interface ByName {
  readonly job: string;
  readonly search_recent_successful_pipelines: boolean;
}

function refArtifactRoutes(services: Services, gates: Gates): Route[] {
  const gate = readingGate(gates);
  type Subject = Parameters<typeof archiveOfRef>[1];
  const found = (subject: Subject, ref: string, { job, search_recent_successful_pipelines: recent }: ByName) =>
    archiveOfRef(services, subject, ref, job, recent);
  const sendArchive = async (reply: FastifyReply, subject: Subject, ref: string, params: ByName) =>
    send(reply, await service.openArchive(services, await found(subject, ref, params)), binaryType);
  const sendFile = async (reply: FastifyReply, subject: Subject, ref: string, path: string, params: ByName) => {
    const opened = await service.openEntry(services, await found(subject, ref, params), path);
    return send(reply, opened, 'text/plain; charset=utf-8');
  };
  return [
    route({
      method: 'GET',
      path: '/projects/:id/jobs/artifacts/:ref_name/download',
      tag,
      summary: 'Download job artifacts by ref name',
      gate,
      jobToken: true,
      params: schema.ofRef,
      responses: { 200: file },
      handle: ({ subject, params, reply }) => sendArchive(reply, subject, params.ref_name, params),
    }),
    route({
      method: 'GET',
      path: '/projects/:id/jobs/artifacts/:ref_name/raw/*',
      tag,
      summary: 'Download a single artifact file by ref name',
      gate,
      jobToken: true,
      params: schema.fileOfRef,
      responses: { 200: file },
      handle: ({ subject, params, reply }) => sendFile(reply, subject, params.ref_name, params['*'], params),
    }),
    route({
      method: 'GET',
      path: '/projects/:id/jobs/artifacts/*',
      tag,
      summary: 'Download job artifacts or a file by ref name with unencoded slashes',
      gate,
      jobToken: true,
      params: schema.ofSlashedRef,
      responses: { 200: file },
      handle({ subject, params, reply }) {
        const [, ref, path] = /^(.+?)\/(?:download|raw\/(.+))$/s.exec(params['*']) ?? [];
        if (ref === undefined) throw new NotFound();
        return path === undefined
          ? sendArchive(reply, subject, ref, params)
          : sendFile(reply, subject, ref, path, params);
      },
    }),
  ];
}

function modifyingRoutes(services: Services, gates: Gates): Route[] {
  return [
    route({
      method: 'POST',
      path: '/projects/:id/jobs/:job_id/artifacts/keep',
      tag,
      summary: 'Keep job artifacts',
      gate: gates.project('update_pipeline'),
      params: schema.ofJob,
      responses: { 200: schema.KeptJob },
      handle: ({ subject, params }) => service.keepOfJob(services, subject, params.job_id),
    }),
    route({
      method: 'DELETE',
      path: '/projects/:id/jobs/:job_id/artifacts',
      tag,
      summary: 'Delete job artifacts',
      gate: gates.project('admin_pipeline'),
      params: schema.ofJob,
      responses: { 204: null },
      handle: ({ subject, params }) => service.deleteOfJob(services, subject, params.job_id),
    }),
    route({
      method: 'DELETE',
      path: '/projects/:id/artifacts',
      tag,
      summary: 'Delete all artifacts of a project',
      gate: gates.project('admin_pipeline'),
      params: schema.ofProject,
      responses: { 202: schema.Accepted },
      async handle({ subject }) {
        await service.expireAll(services, subject);
        return { message: '202 Accepted' };
      },
    }),
  ];
}
