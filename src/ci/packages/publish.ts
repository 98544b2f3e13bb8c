import { createHash, randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import type { FastifyRequest } from 'fastify';
import type { Actor } from '../../access/actor.ts';
import { planLimits } from '../../access/limits/plan-limits.ts';
import type { Services } from '../../access/services.ts';
import type { ProjectSubject } from '../../access/subjects.ts';
import { countUp } from '../../namespaces/projects/public.ts';
import { BadRequest, ParameterError } from '../../platform/http/errors.ts';
import { FileTooLarge } from '../../platform/storage/storage.ts';
import { jobById } from '../jobs/public.ts';
import { fileFields } from './present.ts';
import { isFileName, isPackageName, isPackageVersion } from './rules.ts';
import type { GenericFileParams, PublishedEntity, PublishingParams } from './schema.ts';
import * as store from './store.ts';
import type { PackageFileRow } from './tables.ts';

const tooLarge = () => new BadRequest('File is too large');

/** Refuses names that could not have been given to a package. */
export function checkNames({ package_name, package_version, '*': file }: GenericFileParams): void {
  if (!isPackageName(package_name)) throw new ParameterError('package_name is invalid');
  if (!isPackageVersion(package_version)) throw new ParameterError('package_version is invalid');
  if (!isFileName(file)) throw new ParameterError('file_name is invalid');
}

/** Adds a file to a package, which is made where there is none of that name and version. */
export async function publish(
  services: Services,
  caller: Actor,
  subject: ProjectSubject,
  request: FastifyRequest,
  params: PublishingParams,
): Promise<PublishedEntity> {
  const body = (request.body as Readable | undefined) ?? Readable.from([]);
  try {
    checkNames(params);
    const most = (await planLimits(services.db.read)).generic_packages_max_file_size;
    if (most > 0 && Number(request.headers['content-length'] ?? 0) > most) throw tooLarge();
    const stored = await keep(services, subject.project.id, body, most);
    const file = await note(services, caller, subject, params, stored).catch(async (error: unknown) => {
      await services.storage.delete(stored.storage_key);
      throw error;
    });
    return params.select === undefined
      ? { message: '201 Created' }
      : presentPublished(services, subject.project.id, file, params.status);
  } finally {
    body.resume();
  }
}

type Stored = Pick<PackageFileRow, 'storage_key' | 'size' | 'md5' | 'sha1' | 'sha256'>;

/** Streams a file into the storage, and takes its digests on the way. */
async function keep({ storage }: Services, projectId: number, body: Readable, most: number): Promise<Stored> {
  const storage_key = `packages/${projectId}/${randomBytes(16).toString('hex')}`;
  const [md5, sha1] = [createHash('md5'), createHash('sha1')];
  async function* measured() {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      md5.update(chunk);
      sha1.update(chunk);
      yield chunk;
    }
  }
  const { size, sha256 } = await storage
    .put(storage_key, measured(), most > 0 ? { maxSize: most } : {})
    .catch((error: unknown) => {
      throw error instanceof FileTooLarge ? tooLarge() : error;
    });
  return { storage_key, size, sha256, md5: md5.digest('hex'), sha1: sha1.digest('hex') };
}

async function note(
  services: Services,
  caller: Actor,
  { project }: ProjectSubject,
  { package_name: name, package_version: version, '*': file_name, status }: PublishingParams,
  stored: Stored,
): Promise<PackageFileRow> {
  const now = Date.now();
  const stamps = { created_at: now, updated_at: now };
  return services.db.write(async (trx) => {
    const named = { project_id: project.id, package_type: 'generic' as const, name, version };
    const made = { ...named, status: status ?? 'default', creator_id: caller.user?.id ?? null, ...stamps };
    const { id } = await store.ensurePackage(trx, { ...made, last_downloaded_at: null });
    await store.updatePackage(trx, id, { updated_at: now, ...(status === undefined ? {} : { status }) });
    const file = await store.insertFile(trx, { package_id: id, file_name, ...stored, created_at: now });
    const job = caller.job && (await jobById(trx, caller.job.id));
    if (job?.project_id === project.id) await store.insertBuild(trx, file, job.pipeline_id);
    await countUp(trx, project.id, 'packages_size', stored.size);
    return file;
  });
}

function presentPublished(
  { externalUrl }: Services,
  projectId: number,
  file: PackageFileRow,
  status = 'default',
): PublishedEntity {
  const fields = fileFields(file);
  const packages = `${externalUrl}/api/v4/projects/${projectId}/packages`;
  const url = `${packages}/${file.package_id}/package_files/${file.id}/download`;
  return { ...fields, updated_at: fields.created_at, status, file_store: 1, file: { url } };
}
