import { createHash, type Hash, randomBytes } from 'node:crypto';
import type { Actor } from '../../access/actor.ts';
import type { Services } from '../../access/services.ts';
import type { ProjectSubject } from '../../access/subjects.ts';
import { incrementCounter } from '../../namespaces/projects/public.ts';
import type { Writer } from '../../platform/database/database.ts';
import { fault } from '../../platform/faults.ts';
import { BadRequest, type HttpError } from '../../platform/http/errors.ts';
import { FileTooLarge } from '../../platform/storage/storage.ts';
import { jobById } from '../jobs/public.ts';
import * as store from './store.ts';
import type { PackageFileRow, PackageRow } from './tables.ts';

const day = 24 * 60 * 60 * 1000;

/** The error for files larger than the plan allows. */
export const fileTooLarge = (): HttpError => new BadRequest('File is too large');

export type Stored = Pick<PackageFileRow, 'storage_key' | 'size' | 'md5' | 'sha1' | 'sha256' | 'sha512'>;

/** A file to publish. */
export interface NewFile {
  readonly package_type: PackageRow['package_type'];
  readonly name: string;
  readonly version: string | null;
  readonly status?: PackageRow['status'] | undefined;
  readonly file_name: string;
  readonly content: AsyncIterable<Buffer>;
  /** Maximum size in bytes; 0 for no limit. */
  readonly maxSize: number;
  /** Additional digests to compute. */
  readonly digests?: readonly Hash[];
  /** Whether clients of the format need this digest as well. */
  readonly sha512?: boolean;
  /** Takes locks before the package is looked up. */
  readonly lock?: (trx: Writer) => Promise<void>;
  /** Format-specific work in the same transaction, once the package exists. May throw to reject the file. */
  readonly join?: (trx: Writer, found: PackageRow, created: boolean, stored: Stored) => Promise<void>;
  /** Format-specific work in the same transaction, once the file row exists. */
  readonly joinFile?: (trx: Writer, file: PackageFileRow) => Promise<void>;
}

/**
 * Adds a file to a package, creating the package if necessary. The file is scheduled for removal until its row is
 * committed, so a crash leaves an orphaned file for at most a day.
 */
export async function publishFile(
  services: Services,
  caller: Actor,
  { project }: ProjectSubject,
  file: NewFile,
): Promise<PackageFileRow> {
  const { db, storage } = services;
  const storage_key = `packages/${project.id}/${randomBytes(16).toString('hex')}`;
  await db.write((trx) => store.expectFile(trx, storage_key, Date.now() + day));
  try {
    const stored = await storeFile(services, storage_key, file);
    fault('packages.stored');
    return await db.write((trx) => saveFile(trx, caller, project.id, file, stored));
  } catch (error) {
    await storage.delete(storage_key);
    await db.write((trx) => store.forgetFiles(trx, [storage_key]));
    throw error;
  }
}

/** Streams a file into the storage and computes its digests. */
async function storeFile({ storage }: Services, storage_key: string, file: NewFile): Promise<Stored> {
  const [md5, sha1] = [createHash('md5'), createHash('sha1')];
  const sha512 = file.sha512 ? [createHash('sha512')] : [];
  const digests = [md5, sha1, ...sha512, ...(file.digests ?? [])];
  async function* measured() {
    for await (const chunk of file.content) {
      for (const digest of digests) digest.update(chunk);
      yield chunk;
    }
  }
  const { size, sha256 } = await storage
    .put(storage_key, measured(), file.maxSize > 0 ? { maxSize: file.maxSize } : {})
    .catch((error: unknown) => {
      throw error instanceof FileTooLarge ? fileTooLarge() : error;
    });
  const others = { md5: md5.digest('hex'), sha1: sha1.digest('hex'), sha512: sha512[0]?.digest('hex') ?? null };
  return { storage_key, size, sha256, ...others };
}

async function saveFile(
  trx: Writer,
  caller: Actor,
  project_id: number,
  { package_type, name, version, status, file_name, lock, join, joinFile }: NewFile,
  stored: Stored,
): Promise<PackageFileRow> {
  await lock?.(trx);
  const now = Date.now();
  const { found, created } = await store.ensurePackage(trx, {
    ...{ project_id, package_type, name, version },
    status: status ?? 'default',
    creator_id: caller.user?.id ?? null,
    last_downloaded_at: null,
    created_at: now,
    updated_at: now,
  });
  await join?.(trx, found, created, stored);
  await store.updatePackage(trx, found.id, { updated_at: now, ...(status === undefined ? {} : { status }) });
  const file = await store.insertFile(trx, { package_id: found.id, file_name, ...stored, created_at: now });
  await joinFile?.(trx, file);
  const job = caller.job && (await jobById(trx, caller.job.id));
  if (job?.project_id === project_id) await store.insertBuild(trx, file, job.pipeline_id);
  await incrementCounter(trx, project_id, 'packages_size', stored.size);
  // After a day the file may have been removed already.
  if ((await store.forgetFiles(trx, [stored.storage_key])) !== 1) throw new BadRequest('Upload took too long');
  return file;
}
