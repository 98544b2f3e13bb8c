import type { FastifyRequest } from 'fastify';
import type { Actor } from '../../../access/actor.ts';
import { planLimits } from '../../../access/limits/plan-limits.ts';
import type { Services } from '../../../access/services.ts';
import type { ProjectSubject } from '../../../access/subjects.ts';
import { uniqueViolation } from '../../../platform/database/errors.ts';
import { UploadedFile } from '../../../platform/http/bodies/upload.ts';
import { BadRequest, Conflict, NotFound, ParameterError } from '../../../platform/http/errors.ts';
import { withForm } from '../form.ts';
import { requireUnprotected } from '../protection/guard.ts';
import { publishFile } from '../store-file.ts';
import { BadArchive, fileOfZip } from '../tar-files.ts';
import { isPrerelease } from '../versions.ts';
import { nugetFile } from './names.ts';
import { type Nuspec, readNuspec } from './nuspec.ts';
import * as store from './store.ts';

const maxManifestBytes = 256 * 1024;
const limits = { entries: 100_000, file: maxManifestBytes };
const manifest = /^[^/]+\.nuspec$/i;

interface Upload {
  readonly nuspec: Nuspec;
  readonly content: UploadedFile;
  readonly maxSize: number;
}

/** Publishes a package or symbol package uploaded by `nuget push`. Name and version are read from its manifest. */
export async function receivePackage(
  services: Services,
  caller: Actor,
  subject: ProjectSubject,
  request: FastifyRequest,
  kind: 'nupkg' | 'snupkg',
): Promise<void> {
  const maxSize = (await planLimits(services.db.read)).nuget_max_file_size;
  await withForm(services, request, { name: 'package', maxSize }, async ({ package: content }) => {
    if (!(content instanceof UploadedFile)) throw new ParameterError('package is missing');
    const nuspec = await nuspecIn(content);
    await requireUnprotected(services, caller, subject, { name: nuspec.name, package_type: 'nuget' }, 'push');
    const publish = kind === 'nupkg' ? publishPackage : publishSymbols;
    await publish(services, caller, subject, { nuspec, content, maxSize });
  });
}

async function nuspecIn({ path }: UploadedFile): Promise<Nuspec> {
  const source = await fileOfZip(path, manifest, limits).catch((error: unknown) => {
    throw error instanceof BadArchive ? new BadRequest(`The package cannot be unpacked: ${error.message}`) : error;
  });
  if (!source) throw new BadRequest('The package has no manifest');
  const nuspec = readNuspec(source.toString());
  if (!nuspec) throw new BadRequest('The manifest of the package is invalid');
  return nuspec;
}

async function publishPackage(
  services: Services,
  caller: Actor,
  subject: ProjectSubject,
  { nuspec, content, maxSize }: Upload,
): Promise<void> {
  const { read } = services.db;
  const { project } = subject;
  const known = await store.packageOf(read, project.id, nuspec.name, nuspec.version);
  const name = known?.name ?? (await store.spellingOf(read, project.id, nuspec.name)) ?? nuspec.name;
  const version = known?.version ?? nuspec.version;
  await publishFile(services, caller, subject, {
    ...{ package_type: 'nuget' as const, name, version, file_name: nugetFile(name, version) },
    ...{ content: content.open(), maxSize },
    join: (trx, { id }) =>
      store.saveVersion(trx, {
        package_id: id,
        project_id: project.id,
        lower_name: name.toLowerCase(),
        lower_version: version.toLowerCase(),
        is_prerelease: isPrerelease(version) ? 1 : 0,
        metadata: JSON.stringify(nuspec.metadata),
      }),
  }).catch((error: unknown) => {
    throw uniqueViolation(error)
      ? new Conflict('The package was published with a different spelling in the meantime')
      : error;
  });
}

/** Symbols are stored as a file of their package. */
async function publishSymbols(
  services: Services,
  caller: Actor,
  subject: ProjectSubject,
  { nuspec, content, maxSize }: Upload,
): Promise<void> {
  const known = await store.packageOf(services.db.read, subject.project.id, nuspec.name, nuspec.version);
  if (!known) throw new NotFound('Package');
  const { name, version } = known;
  await publishFile(services, caller, subject, {
    ...{ package_type: 'nuget' as const, name, version, file_name: nugetFile(name, nuspec.version, 'snupkg') },
    ...{ content: content.open(), maxSize },
    async join(_trx, _found, created) {
      // The package was deleted during the upload.
      if (created) throw new NotFound('Package');
    },
  });
}
