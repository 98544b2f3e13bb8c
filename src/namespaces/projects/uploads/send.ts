import type { FastifyReply } from 'fastify';
import type { OwnerColumns } from '../../../access/project-or-group.ts';
import type { Services } from '../../../access/services.ts';
import { disposition } from '../../../platform/http/responses/raw.ts';
import { pictureType } from './names.ts';
import { openUpload } from './service.ts';
import type { UploadName } from './store.ts';

/** Sends the file of an upload. */
export async function sendUpload(services: Services, reply: FastifyReply, owner: OwnerColumns, name: UploadName) {
  const { upload, stream } = await openUpload(services, owner, name);
  const type = pictureType(upload.filename);
  // Uploads must not act as pages of this origin: only images are displayed, content types are not sniffed, and scripts
  // are blocked.
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
