import { Readable } from 'node:stream';
import type { FastifyRequest } from 'fastify';
import type { Actor } from '../../../access/actor.ts';
import { planLimits } from '../../../access/limits/plan-limits.ts';
import type { Services } from '../../../access/services.ts';
import type { ProjectSubject } from '../../../access/subjects.ts';
import { Conflict, NotFound, ParameterError } from '../../../platform/http/errors.ts';
import { requireUnprotected } from '../protection/guard.ts';
import { fileNamed, packageNamed } from '../store.ts';
import { fileTooLarge, publishFile } from '../store-file.ts';
import { type DigestName, type MavenPath, readMavenPath } from './names.ts';
import { hasDigest } from './store.ts';

const maxDigestLength = 1024;

/** Stores a file uploaded by `mvn deploy`. A digest is compared with the file uploaded before it. */
export async function receiveFile(
  services: Services,
  caller: Actor,
  subject: ProjectSubject,
  rest: string,
  request: FastifyRequest,
): Promise<void> {
  const content = (request.body as Readable | undefined) ?? Readable.from([]);
  try {
    const path = readMavenPath(rest);
    if (!path) throw new ParameterError('path is invalid');
    await requireUnprotected(services, caller, subject, { name: path.name, package_type: 'maven' }, 'push');
    if (path.digest !== undefined) await compare(services, subject, path, path.digest, await readDigest(content));
    else await publish(services, caller, subject, path, request, content);
  } finally {
    content.resume();
  }
}

async function publish(
  services: Services,
  caller: Actor,
  subject: ProjectSubject,
  { name, version, file: file_name }: MavenPath,
  request: FastifyRequest,
  content: Readable,
): Promise<void> {
  const maxSize = (await planLimits(services.db.read)).maven_max_file_size;
  if (maxSize > 0 && Number(request.headers['content-length'] ?? 0) > maxSize) throw fileTooLarge();
  const named = { package_type: 'maven' as const, name, version, file_name };
  await publishFile(services, caller, subject, { ...named, content, maxSize, sha512: true });
}

/** Reads a hexadecimal digest. Some clients append the file name. */
async function readDigest(content: Readable): Promise<string> {
  let text = '';
  for await (const chunk of content as AsyncIterable<Buffer>) {
    // The rest is read to keep the connection usable; a digest this long is never valid.
    if (text.length <= maxDigestLength) text += chunk.toString('latin1');
  }
  return text.trim().split(/\s/)[0]?.toLowerCase() ?? '';
}

async function compare(
  { db }: Services,
  { project }: ProjectSubject,
  { name, version, file }: MavenPath,
  digest: DigestName,
  expected: string,
): Promise<void> {
  const found = await packageNamed(db.read, { project_id: project.id, package_type: 'maven', name, version });
  const newest = found && (await fileNamed(db.read, found.id, file));
  if (!newest) throw new NotFound('Package file');
  // Another client may have uploaded a newer file since, so the digests of earlier files are accepted too.
  if (!(await hasDigest(db.read, newest, digest, expected)))
    throw new Conflict(`The ${digest} does not match the file`);
}
