import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import type { Services } from '../../../../access/services.ts';
import { NotFound } from '../../../../platform/http/errors.ts';
import { sendRaw } from '../../../../platform/http/responses/raw.ts';
import { FileMissing } from '../../../../platform/storage/storage.ts';
import type { DebianDistributionRow } from '../../tables.ts';
import { distributionNamed, type Place } from '../distributions/store.ts';
import * as store from './store.ts';

const byHash = /^(.+)\/by-hash\/SHA256\/([0-9a-f]{64})$/;
const releaseFiles = new Map<string, 'release_file' | 'release_signature' | 'signed_release'>([
  ['Release', 'release_file'],
  ['Release.gpg', 'release_signature'],
  ['InRelease', 'signed_release'],
]);

/** Sends a file below `dists`: part of a release, or an index by name or by hash. */
export async function sendIndex(services: Services, place: Place, path: string, reply: FastifyReply) {
  const [, name = '', rest = ''] = /^([^/]+)\/(.+)$/.exec(path) ?? [];
  const distribution = await distributionNamed(services.db.read, place, name);
  if (!distribution) throw new NotFound('Distribution');
  const column = releaseFiles.get(rest);
  if (column) return sendText(distribution[column], reply);
  const index = await findIndex(services, distribution, rest);
  if (!index) throw new NotFound();
  const { stream, size } = await open(services, index.storage_key);
  const type = index.path.endsWith('.gz') ? 'application/gzip' : 'text/plain; charset=utf-8';
  const filename = index.path.split('/').at(-1) ?? '';
  return sendRaw(reply, stream, { size, filename, type, attachment: true }).header('x-content-type-options', 'nosniff');
}

function sendText(text: string | null, reply: FastifyReply) {
  // The first release has not been written yet.
  if (text === null) throw new NotFound();
  return reply.type('text/plain; charset=utf-8').header('x-content-type-options', 'nosniff').send(text);
}

function findIndex({ db }: Services, { id }: DebianDistributionRow, path: string) {
  const [, folder, sha256] = byHash.exec(path) ?? [];
  if (folder === undefined || sha256 === undefined) return store.indexAt(db.read, id, path);
  const name = folder.endsWith('/source') ? 'Sources' : 'Packages';
  return store.indexWithDigest(db.read, id, [`${folder}/${name}`, `${folder}/${name}.gz`], sha256);
}

async function open({ storage }: Services, key: string | null) {
  if (key === null) return { stream: Readable.from([]), size: 0 };
  return storage.get(key).catch((error: unknown) => {
    throw error instanceof FileMissing ? new NotFound() : error;
  });
}
