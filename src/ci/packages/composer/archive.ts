import type { FastifyReply } from 'fastify';
import type { Services } from '../../../access/services.ts';
import { type ArchiveCache, type ArchiveCall, sendArchive } from '../../../code/archives/public.ts';
import { NotFound } from '../../../platform/http/errors.ts';
import { recordDownload } from '../service.ts';
import { readArchivePath } from './names.ts';
import { packageOfCommit } from './store.ts';

/** Sends the files of a published commit. Other commits require read access to the repository. */
export async function sendPackage(
  services: Services,
  cache: ArchiveCache,
  call: ArchiveCall,
  { '*': rest, sha }: { readonly '*': string; readonly sha: string },
): Promise<FastifyReply> {
  const name = readArchivePath(rest);
  const { db } = services;
  const found = name && (await packageOfCommit(db.read, call.subject.project.id, name, sha.toLowerCase()));
  if (!found) throw new NotFound('Package');
  if (call.request.method !== 'HEAD') await recordDownload(services, found);
  const options = { sha: sha.toLowerCase(), include_lfs_blobs: true, append_sha: false };
  return sendArchive(services, cache, call, 'zip', options);
}
