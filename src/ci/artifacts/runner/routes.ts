import type { Readable } from 'node:stream';
import Type from 'typebox';
import type { Gates } from '../../../access/gates.ts';
import { type Route, route } from '../../../access/route.ts';
import type { Services } from '../../../access/services.ts';
import { TooLarge } from '../../../platform/http/errors.ts';
import { sendRaw } from '../../../platform/http/responses/raw.ts';
import { jobTokenIn, runningJob } from '../../job-logs/public.ts';
import * as schema from '../schema.ts';
import { archiveForJob, openArchive } from '../service.ts';
import { receiveUpload, sizeLimit } from '../upload.ts';

const tag = 'runners';

/** Routes for runners to upload and download artifacts, authenticated with job tokens. */
export function runnerArtifactRoutes(services: Services, gates: Gates): Route[] {
  return [
    route({
      method: 'POST',
      path: '/jobs/:id/artifacts/authorize',
      tag,
      summary: 'Authorize artifacts uploading for a job',
      gate: gates.anyone,
      params: schema.authorization,
      responses: { 200: schema.UploadLimits },
      async handle({ params, request }) {
        const job = await runningJob(services, params.id, jobTokenIn(request.headers));
        const limit = await sizeLimit(services, job, params.artifact_type);
        if ((params.filesize ?? 0) > limit) throw new TooLarge();
        return { MaximumSize: limit };
      },
    }),
    route({
      method: 'POST',
      path: '/jobs/:id/artifacts',
      tag,
      summary: 'Upload artifacts for a job',
      gate: gates.anyone,
      params: schema.upload,
      rawBody: true,
      bodyLimit: Number.MAX_SAFE_INTEGER,
      responses: { 201: null },
      async handle({ params, request }) {
        try {
          const job = await runningJob(services, params.id, jobTokenIn(request.headers));
          await receiveUpload(services, job, request, params);
        } finally {
          // Drain the rest of the body: the next request on the same connection follows it.
          (request.body as Readable | undefined)?.resume();
        }
      },
    }),
    route({
      method: 'GET',
      path: '/jobs/:id/artifacts',
      tag,
      summary: 'Download the artifacts of an earlier job as a runner',
      gate: gates.signedIn,
      jobToken: true,
      params: schema.download,
      responses: { 200: Type.String({ format: 'binary' }) },
      async handle({ caller, params, reply }) {
        const { stream, size, filename } = await openArchive(
          services,
          await archiveForJob(services, caller, params.id),
        );
        return sendRaw(reply, stream, { size, filename, type: 'application/octet-stream', attachment: true });
      },
    }),
  ];
}
