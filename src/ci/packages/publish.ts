import { Readable } from 'node:stream';
import type { FastifyRequest } from 'fastify';
import type { Actor } from '../../access/actor.ts';
import { planLimits } from '../../access/limits/plan-limits.ts';
import type { Services } from '../../access/services.ts';
import type { ProjectSubject } from '../../access/subjects.ts';
import { ParameterError } from '../../platform/http/errors.ts';
import { fileFields } from './present.ts';
import { requireUnprotected } from './protection/guard.ts';
import { isFileName, isPackageName, isPackageVersion } from './rules.ts';
import type { GenericFileParams, PublishedEntity, PublishingParams } from './schema.ts';
import { fileTooLarge, publishFile } from './store-file.ts';
import type { PackageFileRow } from './tables.ts';

/** Validates the names in the URL of a generic package file. */
export function checkNames({ package_name, package_version, '*': file }: GenericFileParams): void {
  if (!isPackageName(package_name)) throw new ParameterError('package_name is invalid');
  if (!isPackageVersion(package_version)) throw new ParameterError('package_version is invalid');
  if (!isFileName(file)) throw new ParameterError('file_name is invalid');
}

/** Publishes a file of a generic package. */
export async function publish(
  services: Services,
  caller: Actor,
  subject: ProjectSubject,
  request: FastifyRequest,
  params: PublishingParams,
): Promise<PublishedEntity> {
  const content = (request.body as Readable | undefined) ?? Readable.from([]);
  try {
    checkNames(params);
    const maxSize = (await planLimits(services.db.read)).generic_packages_max_file_size;
    if (maxSize > 0 && Number(request.headers['content-length'] ?? 0) > maxSize) throw fileTooLarge();
    const { package_name: name, package_version: version, '*': file_name, status } = params;
    const named = { package_type: 'generic' as const, name, version, file_name, status };
    await requireUnprotected(services, caller, subject, named, 'push');
    const file = await publishFile(services, caller, subject, { ...named, content, maxSize });
    return params.select === undefined
      ? { message: '201 Created' }
      : presentPublished(services, subject.project.id, file, status);
  } finally {
    content.resume();
  }
}

/** Presents a published file to callers that request it. */
export function presentPublished(
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
