import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import type { Actor } from '../../access/actor.ts';
import type { Services } from '../../access/services.ts';
import type { ProjectSubject } from '../../access/subjects.ts';
import { incrementCounter } from '../../namespaces/projects/public.ts';
import type { Writer } from '../../platform/database/database.ts';
import { lockRow } from '../../platform/database/locks.ts';
import { Forbidden, NotFound } from '../../platform/http/errors.ts';
import { Page, type PageRequest } from '../../platform/http/pages/pagination.ts';
import { sendRaw } from '../../platform/http/responses/raw.ts';
import { FileMissing } from '../../platform/storage/storage.ts';
import { mayReadPipelines } from '../pipelines/public.ts';
import { releaseWithout } from './debian/indexes/refresh.ts';
import { packageList } from './list.ts';
import { presentFiles, presentPackages, presentPipelines } from './present.ts';
import { requireUnprotected } from './protection/guard.ts';
import { checkNames } from './publish.ts';
import { removeFilesSoon } from './removal.ts';
import type {
  GenericFileParams,
  ListingParams,
  PackageDetailEntity,
  PackageEntity,
  PackageFileEntity,
  PackagePipelineEntity,
} from './schema.ts';
import * as store from './store.ts';
import type { PackageFileRow, PackageRow } from './tables.ts';

const maxVersions = 100;
const tenMinutes = 600_000;

async function requirePackage({ db }: Services, subject: ProjectSubject, id: number): Promise<PackageRow> {
  const row = await store.packageOfProject(db.read, subject.project.id, id);
  if (!row) throw new NotFound('Package');
  return row;
}

export async function listPackages(
  services: Services,
  subject: ProjectSubject,
  {
    id: _,
    order_by: by,
    sort: direction,
    status = 'shown',
    ...filters
  }: Omit<ListingParams, 'status'> & { status?: ListingParams['status'] | 'shown' },
  page: PageRequest,
): Promise<Page<PackageEntity>> {
  const scope = { project: subject.project.id };
  const { rows, total } = await packageList.page(
    services.db.read,
    scope,
    { ...filters, status },
    { by, direction },
    page,
  );
  return new Page(await presentPackages(services, subject, rows), total);
}

export async function getPackage(
  services: Services,
  subject: ProjectSubject,
  id: number,
): Promise<PackageDetailEntity> {
  const row = await requirePackage(services, subject, id);
  const versions = await store.versionsOf(services.db.read, row, maxVersions);
  const [[own], others] = await Promise.all([
    presentPackages(services, subject, [row]),
    presentPackages(
      services,
      subject,
      versions.filter((one) => one.id !== id),
    ),
  ]);
  if (!own) throw new NotFound('Package');
  return { ...own, versions: others };
}

export async function deletePackage(
  services: Services,
  caller: Actor,
  subject: ProjectSubject,
  id: number,
): Promise<void> {
  const found = await requirePackage(services, subject, id);
  await requireUnprotected(services, caller, subject, found, 'delete');
  await services.db.write(async (trx) => {
    // Concurrent publications wait for this lock and then find the package deleted.
    if (!(await lockRow(trx, 'packages', id, 'remove'))) throw new NotFound('Package');
    await removeFiles(services, trx, subject, { packageId: id });
    await store.deletePackage(trx, id);
  });
}

/** Deletes files, subtracts their size from the project statistics, and updates indexes that list them. */
export async function removeFiles(
  services: Services,
  trx: Writer,
  { project }: { readonly project: { readonly id: number } },
  which: store.DeletionScope,
): Promise<void> {
  await releaseWithout(services, trx, which);
  const size = await store.deleteFiles(trx, which);
  if (size > 0) await incrementCounter(trx, project.id, 'packages_size', -size);
  await removeFilesSoon(services, trx);
}

export async function listFiles(
  services: Services,
  subject: ProjectSubject,
  packageId: number,
  order: Parameters<typeof store.listFiles>[2],
  page: PageRequest,
): Promise<Page<PackageFileEntity>> {
  const { id } = await requirePackage(services, subject, packageId);
  const { rows, total } = await store.listFiles(services.db.read, id, order, page);
  return new Page(await presentFiles(services, subject, rows), total);
}

async function requireFile(services: Services, subject: ProjectSubject, packageId: number, id: number) {
  const found = await requirePackage(services, subject, packageId);
  const file = await store.fileOfPackage(services.db.read, found.id, id);
  if (!file) throw new NotFound();
  return { found, file };
}

export async function deleteFile(
  services: Services,
  caller: Actor,
  subject: ProjectSubject,
  packageId: number,
  id: number,
): Promise<void> {
  const { found, file } = await requireFile(services, subject, packageId, id);
  await requireUnprotected(services, caller, subject, found, 'delete');
  await services.db.write(async (trx) => {
    if (!(await lockRow(trx, 'package_files', file.id, 'remove'))) throw new NotFound();
    await removeFiles(services, trx, subject, { fileId: file.id });
  });
}

export async function sendFile(
  services: Services,
  subject: ProjectSubject,
  { package_id, package_file_id }: { readonly package_id: number; readonly package_file_id: number },
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { found, file } = await requireFile(services, subject, package_id, package_file_id);
  return send(services, found, file, reply);
}

/** Sends the latest file with a name in a generic package. */
export async function sendGeneric(
  services: Services,
  subject: ProjectSubject,
  params: GenericFileParams,
  reply: FastifyReply,
): Promise<FastifyReply> {
  checkNames(params);
  const { read } = services.db;
  const named = { project_id: subject.project.id, package_type: 'generic' as const, name: params.package_name };
  const found = await store.packageNamed(read, { ...named, version: params.package_version });
  const file = found && (await store.fileNamed(read, found.id, params['*']));
  if (!found || !file) throw NotFound.record();
  return send(services, found, file, reply);
}

/** Sends a package file and records the download. */
export async function send(
  services: Services,
  found: Pick<PackageRow, 'id' | 'last_downloaded_at'>,
  file: PackageFileRow,
  reply: FastifyReply,
): Promise<FastifyReply> {
  // HEAD requests neither read the file nor count as downloads.
  const isHead = reply.request.method === 'HEAD';
  const { stream, size } = isHead
    ? { stream: Readable.from([]), size: Number(file.size) }
    : await services.storage.get(file.storage_key).catch((error: unknown) => {
        throw error instanceof FileMissing ? new NotFound() : error;
      });
  if (!isHead) await recordDownload(services, found);
  const filename = file.file_name.split('/').at(-1) ?? file.file_name;
  const type = 'application/octet-stream';
  return sendRaw(reply, stream, { size, filename, type, attachment: true }).header('x-content-type-options', 'nosniff');
}

/** Records a download of a package. */
export async function recordDownload(
  { db }: Services,
  { id, last_downloaded_at: last }: Pick<PackageRow, 'id' | 'last_downloaded_at'>,
): Promise<void> {
  const now = Date.now();
  // Updated at most every ten minutes, because popular packages are downloaded constantly.
  if (last !== null && last >= now - tenMinutes) return;
  await db.write((trx) => store.updatePackage(trx, id, { last_downloaded_at: now }));
}

export async function listPipelines(
  services: Services,
  subject: ProjectSubject,
  packageId: number,
  page: PageRequest,
): Promise<Page<PackagePipelineEntity>> {
  const { id } = await requirePackage(services, subject, packageId);
  if (!mayReadPipelines(subject)) throw new Forbidden();
  const { rows, total } = await store.listBuilds(services.db.read, id, page);
  const numbers = rows.map(({ pipeline_id }) => pipeline_id);
  const pipelines = await presentPipelines(services, subject, numbers);
  return new Page(
    numbers.flatMap((one) => pipelines.get(one) ?? []),
    total,
  );
}
