import { randomBytes } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { createGunzip } from 'node:zlib';
import type { FastifyRequest } from 'fastify';
import { defaultExpiry, largestArtifact } from '../../access/application-settings/effective.ts';
import { type PlanLimits, planLimits } from '../../access/limits/plan-limits.ts';
import type { Services } from '../../access/services.ts';
import { settingsWithAncestors } from '../../access/stored-settings.ts';
import { settingsOf } from '../../access/subjects.ts';
import { findProject } from '../../namespaces/projects/public.ts';
import type { Writer } from '../../platform/database/database.ts';
import { fault } from '../../platform/faults.ts';
import { isMultipart, readMultipart } from '../../platform/http/bodies/multipart.ts';
import { UploadedFile } from '../../platform/http/bodies/upload.ts';
import { BadRequest, Forbidden, ParameterError, TooLarge } from '../../platform/http/errors.ts';
import { checkParams } from '../../platform/http/params.ts';
import type { StoredFile } from '../../platform/storage/storage.ts';
import { claimStoredFile, putUnclaimed } from '../../platform/storage/unclaimed.ts';
import { durationSeconds, neverExpires } from '../config/public.ts';
import { assertExecuting } from '../job-logs/public.ts';
import { type CiJobRow, lockJob, plannedJob, updateJob } from '../jobs/public.ts';
import { metadataOf } from './archive/metadata.ts';
import { openArchiveFile } from './archive/reader.ts';
import { readDotenv } from './dotenv.ts';
import { description } from './schema.ts';
import { artifactOf, insertArtifact, setDotenv } from './store.ts';
import { type ArtifactFormat, reportFormat, typeLimits } from './types.ts';

const megabyte = 1024 * 1024;
const tooLarge = () => new TooLarge('413 Request Entity Too Large - file size has reached maximum size limit');

interface Upload {
  readonly artifact_type: string;
  readonly artifact_format: ArtifactFormat;
  readonly expire_in?: string | undefined;
}

/**
 * Maximum size in bytes of an artifact: the setting of the project, else of the nearest group, else of the instance,
 * capped by the limit of the type.
 */
export async function sizeLimit({ db, config, settings }: Services, job: CiJobRow, type: string): Promise<number> {
  const project = await findProject(db.read, job.project_id);
  if (!project) return 0;
  const groupSettings = await settingsWithAncestors(db.read, project.namespace_id);
  const configured = [settingsOf(project), ...groupSettings.map(({ settings }) => settings)]
    .map(({ max_artifacts_size }) => max_artifacts_size)
    .find((size) => typeof size === 'number');
  const limit = typeof configured === 'number' ? configured * megabyte : largestArtifact(config, await settings.read());
  return Math.min(limit, (typeLimits[type] ?? Number.POSITIVE_INFINITY) * megabyte);
}

/** Receives and stores an artifact sent by the runner of a job. What describes it is in the query or in the form. */
export async function receiveUpload(
  services: Services,
  job: CiJobRow,
  request: FastifyRequest,
  upload: Upload,
): Promise<void> {
  const limit = await sizeLimit(services, job, upload.artifact_type);
  if (Number(request.headers['content-length'] ?? 0) > limit + megabyte) throw tooLarge();
  if (!isMultipart(request)) throw new ParameterError('file is missing');
  const spool = join(services.config.data, 'tmp', 'uploads');
  await mkdir(spool, { recursive: true });
  const [fields, files] = await readMultipart(request, { spool, fileLimit: limit }).catch((error: unknown) => {
    throw error instanceof TooLarge ? tooLarge() : error;
  });
  try {
    const { file } = fields;
    if (!(file instanceof UploadedFile)) throw new ParameterError('file is missing');
    const described = checkParams(description, [], { ...upload, ...fields });
    if (reportFormat(described.artifact_type) !== described.artifact_format) {
      throw new BadRequest(`Invalid file format with specified file type`);
    }
    if (file.size > (await sizeLimit(services, job, described.artifact_type))) throw tooLarge();
    await storeUpload(services, job, described, file);
  } finally {
    await Promise.all(files.map((one) => one.remove()));
  }
}

async function storeUpload(services: Services, job: CiJobRow, upload: Upload, file: UploadedFile): Promise<void> {
  const { artifact_type: type } = upload;
  const dotenv = type === 'dotenv' ? await dotenvIn(file, await planLimits(services.db.read)) : undefined;
  const storeFile = (name: string, body: AsyncIterable<Uint8Array>) => store(services, job, name, body);
  const metadata = type === 'archive' ? await storeMetadata(file, (body) => storeFile('metadata', body)) : undefined;
  const stored = await storeFile(type, file.open());
  fault('artifacts.stored');
  const unclaimed = [stored.key, metadata?.key].flatMap((key) => key ?? []);
  const now = Date.now();
  const defaultExpireIn = defaultExpiry(services.config, await services.settings.read());
  const expire_at = expiryOf(
    services,
    defaultExpireIn,
    upload.expire_in ?? plannedJob(job).artifacts?.expireIn ?? undefined,
    now,
  );
  try {
    await services.db.write(async (trx) => {
      const current = await lockJob(trx, job.id);
      if (!current) throw new Forbidden();
      // The upload may have taken long: what a job leaves after it was erased would never be removed.
      assertExecuting(current);
      const existing = await artifactOf(trx, job.id, type);
      if (existing?.sha256 === stored.sha256) return;
      if (existing || (metadata && (await artifactOf(trx, job.id, 'metadata')))) {
        throw BadRequest.plain('another artifact of the same type already exists');
      }
      const row = {
        project_id: job.project_id,
        job_id: job.id,
        access: accessLevelOf(job),
        expire_at,
        created_at: now,
      };
      await insertArtifact(trx, {
        ...row,
        file_type: type,
        file_format: upload.artifact_format,
        filename: basename(file.filename) || 'artifacts.zip',
        ...columnsOf(stored),
      });
      if (metadata) await addMetadata(trx, { ...row, ...columnsOf(metadata) });
      if (dotenv) await setDotenv(trx, services.encryption, job.id, dotenv);
      await updateJob(trx, job.id, { artifacts_expire_at: expire_at });
      for (const key of unclaimed) await claimStoredFile(services, trx, key);
      unclaimed.length = 0;
    });
  } finally {
    for (const key of unclaimed) await services.storage.delete(key);
  }
}

type Stored = StoredFile & { readonly key: string };

const columnsOf = ({ key, size, sha256 }: Stored) => ({ storage_key: key, size, sha256 });

function addMetadata(
  trx: Writer,
  row: Omit<Parameters<typeof insertArtifact>[1], 'file_type' | 'file_format' | 'filename'>,
) {
  return insertArtifact(trx, { ...row, file_type: 'metadata', file_format: 'gzip', filename: 'metadata.gz' });
}

async function store(
  services: Services,
  job: CiJobRow,
  name: string,
  body: AsyncIterable<Uint8Array>,
): Promise<Stored> {
  const key = `artifacts/${job.project_id}/${job.id}/${randomBytes(8).toString('hex')}-${name}`;
  return { key, ...(await putUnclaimed(services, key, body)) };
}

/** Stores the metadata of an archive. Throws when the file is not a valid archive. */
async function storeMetadata(
  file: UploadedFile,
  storeFile: (body: AsyncIterable<Uint8Array>) => Promise<Stored>,
): Promise<Stored | undefined> {
  const archive = await openArchiveFile(file.path).catch(notAnArchive);
  try {
    const list = await metadataOf(archive).catch(notAnArchive);
    return list && (await storeFile(list));
  } finally {
    archive.close();
  }
}

function notAnArchive(): never {
  throw new BadRequest('the archive cannot be read');
}

async function dotenvIn(file: UploadedFile, limits: PlanLimits): Promise<ReadonlyMap<string, string>> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of file.open().pipe(createGunzip()) as AsyncIterable<Buffer>) {
      size += chunk.length;
      chunks.push(chunk);
      if (size > limits.dotenv_size) break;
    }
  } catch {
    // Not gzipped, or corrupt.
    throw BadRequest.plain('Invalid Format');
  }
  const read = readDotenv(textOf(Buffer.concat(chunks)), limits);
  if ('problem' in read) throw BadRequest.plain(read.problem);
  return read.variables;
}

/** PowerShell writes files in UTF-16 and begins those in UTF-8 with a mark, too. */
function textOf(bytes: Buffer): string {
  const utf16 = bytes[0] === 0xff && bytes[1] === 0xfe;
  return new TextDecoder(utf16 ? 'utf-16le' : 'utf-8').decode(bytes);
}

function expiryOf(
  { config }: Services,
  defaultExpireIn: string | undefined,
  expireIn: string | undefined,
  now: number,
): number | null {
  for (const text of [expireIn, defaultExpireIn]) {
    if (text === undefined) continue;
    if (neverExpires(text)) return null;
    const seconds = durationSeconds(text);
    if (typeof seconds === 'number') return text === defaultExpireIn && seconds === 0 ? null : now + seconds * 1000;
  }
  return config.artifactExpiry === 0 ? null : now + config.artifactExpiry;
}

const accesses = { all: 'public', developer: 'private', maintainer: 'maintainer', none: 'none' } as const;

/** Access level of an artifact: as the configuration says, regardless of what the runner sends. */
function accessLevelOf(job: CiJobRow) {
  return accesses[plannedJob(job).artifacts?.access ?? 'all'];
}
