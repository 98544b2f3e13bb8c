import { randomBytes } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { isAdmin, type SignedInActor } from '../../access/actor.ts';
import type { Services } from '../../access/services.ts';
import { groupSubject, lookUpProject, projectSubject } from '../../access/subjects.ts';
import type { Namespace } from '../../access/tables.ts';
import {
  createProject,
  deleteProject,
  personalNamespaceOf,
  settingProblems,
} from '../../namespaces/projects/public.ts';
import { EgressRefused } from '../../platform/egress/client.ts';
import { fault } from '../../platform/faults.ts';
import { UploadedFile } from '../../platform/http/bodies/upload.ts';
import { BadRequest, Forbidden, HttpError, Invalid, NotFound, ParameterError } from '../../platform/http/errors.ts';
import { checkParams, type ParamsOf } from '../../platform/http/params.ts';
import { claimStoredFile, putUnclaimed } from '../../platform/storage/unclaimed.ts';
import {
  beginImport,
  findTarget,
  type ImportStatusEntity,
  importStatus,
  mayImportInto,
  projectProblem,
  requireSource,
} from '../project-imports/public.ts';
import { type ArchiveOptions, archiveKey } from './archive.ts';
import { signedGet } from './s3.ts';
import { type bucketImport, fileImport, type remoteImport, type TargetParams } from './schema.ts';
import { withUploadedArchive } from './sent-file.ts';

/** Stores an uploaded archive and imports it as a new project in the background. */
export async function importFile(
  services: Services,
  caller: SignedInActor,
  request: FastifyRequest,
  sent: Readonly<Record<string, unknown>>,
): Promise<ImportStatusEntity> {
  await requireSource(services, 'gitlab_project');
  return withUploadedArchive(services, request, async (fields) => {
    const params = checkParams(fileImport, [], { ...fields, ...sent });
    if (!(params.file instanceof UploadedFile)) throw new ParameterError('file is invalid');
    return begin(services, caller, params, { url: null, overrides: overridesIn(params) }, params.file);
  });
}

/** The same for a remote archive. */
export async function importRemote(
  services: Services,
  caller: SignedInActor,
  params: ParamsOf<typeof remoteImport>,
): Promise<ImportStatusEntity> {
  await requireSource(services, 'gitlab_project');
  const url = await checkedUrl(services, params.url);
  return begin(services, caller, params, { url, overrides: overridesIn(params) }, undefined);
}

/** The same for an archive in an S3 bucket. */
export async function importFromBucket(
  services: Services,
  caller: SignedInActor,
  params: ParamsOf<typeof bucketImport>,
): Promise<ImportStatusEntity> {
  await requireSource(services, 'gitlab_project');
  const { region, bucket_name: bucket, file_key: key } = params;
  if (!/^[a-z0-9-]{1,50}$/.test(region)) throw new ParameterError('region is invalid');
  if (!/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(bucket)) throw new ParameterError('bucket_name is invalid');
  if (key === '' || key.length > 1024 || key.split('/').some((part) => part === '.' || part === '..')) {
    throw new ParameterError('file_key is invalid');
  }
  const bucketFile = {
    ...{ region, bucket, key },
    accessKeyId: params.access_key_id,
    secretAccessKey: params.secret_access_key,
  };
  await checkedUrl(services, signedGet(bucketFile, services.config.importS3Url, new Date()).url);
  return begin(services, caller, params, { url: null, bucketFile, overrides: overridesIn(params) }, undefined);
}

async function checkedUrl({ egress }: Services, text: string): Promise<string> {
  try {
    return (await egress.checkUrl(text)).url.href;
  } catch (error) {
    if (!(error instanceof EgressRefused)) throw error;
    throw BadRequest.plain(`File url is blocked: ${error.message}`);
  }
}

function overridesIn({ override_params: overrides = {} }: TargetParams): Readonly<Record<string, unknown>> {
  const problems = settingProblems(overrides);
  if (Object.keys(problems).length > 0) throw new Invalid(problems);
  return overrides;
}

async function begin(
  services: Services,
  caller: SignedInActor,
  params: TargetParams,
  wanted: Omit<ArchiveOptions, 'salt'>,
  file: UploadedFile | undefined,
): Promise<ImportStatusEntity> {
  const target = await targetOf(services, caller, params);
  const { path, name = path } = params;
  const overwrites = params.overwrite ? await projectToOverwrite(services, caller, target, { name, path }) : undefined;
  // The new project exists alongside the one it replaces until the import is complete.
  const ending = overwrites ? `-${randomBytes(4).toString('hex')}` : '';
  const project = await createProject(services, caller, {
    name: name + ending,
    path: path + ending,
    namespace_id: target.id,
    visibility: 'private',
  }).catch((error: unknown) => {
    const problem = projectProblem(error);
    throw problem === undefined ? error : new HttpError(400, { message: problem });
  });
  try {
    const key = archiveKey(project.id);
    if (file) {
      await putUnclaimed(services, key, file.open(), { expectedSize: file.size });
      fault('project-archives.stored');
    }
    const options: ArchiveOptions = {
      ...wanted,
      ...(overwrites ? { overwrites } : {}),
      salt: randomBytes(32).toString('hex'),
    };
    const importing = { type: 'gitlab_project', source: path, cloneUrl: '', options: { ...options } } as const;
    const begun = await beginImport(services, caller, project, importing, async (trx) => {
      if (file) await claimStoredFile(services, trx, key);
    });
    return importStatus(services, await projectSubject(services.db.read, caller, begun));
  } catch (error) {
    await services.db.write((trx) => deleteProject(services, trx, project));
    throw error;
  }
}

/** The existing project that may be replaced; undefined if there is none. */
async function projectToOverwrite(
  { db, settings }: Services,
  caller: SignedInActor,
  target: Namespace,
  { name, path }: { readonly name: string; readonly path: string },
): Promise<ArchiveOptions['overwrites']> {
  const found = await lookUpProject(db.read, `${target.full_path}/${path}`);
  // Callers who may not delete the project get the error that the path is taken.
  if (!found || !(await projectSubject(db.read, caller, found.project)).can('remove_project')) return undefined;
  if ((await settings.read()).default_project_deletion_protection && !isAdmin(caller)) return undefined;
  return { projectId: found.project.id, name, path: found.project.path };
}

async function targetOf(services: Services, caller: SignedInActor, params: TargetParams): Promise<Namespace> {
  const named = params.namespace_id ?? params.namespace_path ?? params.namespace;
  const { read } = services.db;
  const target =
    named === undefined || named === ''
      ? await personalNamespaceOf(read, caller.user.id)
      : await findTarget(services, String(named));
  const seen =
    target && (target.owner_id === caller.user.id || (await groupSubject(read, caller, target)).can('read_group'));
  if (!target || !seen) throw new NotFound('Namespace');
  if (!(await mayImportInto(services, caller, target))) throw new Forbidden();
  return target;
}
