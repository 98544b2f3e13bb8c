import { mkdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Services } from '../../access/services.ts';
import { EgressRefused, ResponseTooLarge } from '../../platform/egress/client.ts';
import { ifMissing } from '../../platform/missing.ts';
import { FileMissing } from '../../platform/storage/storage.ts';
import { ImportFailed, type ImportRun } from '../project-imports/public.ts';
import { clearRelations, unpackRelations } from './relations.ts';
import { type BucketFile, signedGet } from './s3.ts';
import { BadArchive, type UnpackLimits, unpack } from './unpack.ts';

const mebibyte = 1024 * 1024;
const hour = 60 * 60_000;
const maxUnpackedBytes = 50 * 1024 * mebibyte;
const maxEntries = 1_000_000;

/** Options of an import from an archive. */
export interface ArchiveOptions {
  /** URL of the archive, or of the source server; null for an uploaded archive. */
  readonly url: string | null;
  /** Location of an archive in an S3 bucket. */
  readonly bucketFile?: BucketFile;
  /** The project to replace after the import, with its name and path. */
  readonly overwrites?: { readonly projectId: number; readonly name: string; readonly path: string };
  /** Salt for new secrets of uploaded files, which must be unique across projects. */
  readonly salt: string;
  /** Source server; absent for archives. */
  readonly host?: string;
  /** Storage key of the archive and folder of its contents, if they are not those of the project. */
  readonly storedAs?: { readonly key: string; readonly folder: string };
  /** Whether texts keep the upload URLs of the archive, which was exported from this project. */
  readonly keepsUploads?: boolean;
  /** Settings that take precedence over those in the archive. */
  readonly overrides: Readonly<Record<string, unknown>>;
}

/** Storage key of the archive of a running import. */
export const archiveKey = (projectId: number) => `imports/${projectId}/archive`;

const folderOf = ({ config }: Services, name: string) => join(config.data, 'tmp', 'imports', name);

/** Downloads the archive, if it is remote. */
export async function fetchArchive(run: ImportRun): Promise<void> {
  const { services, project, signal } = run;
  const { url, bucketFile } = run.options<ArchiveOptions>();
  const remote = bucketFile
    ? signedGet(bucketFile, services.config.importS3Url, new Date())
    : url === null
      ? null
      : { url };
  if (remote === null) return;
  const { max_import_remote_file_size: most } = await services.settings.read();
  const maxBytes = most === 0 ? maxUnpackedBytes : most * mebibyte;
  const timeoutsMs = { headers: 60_000, body: 300_000, total: 6 * hour };
  try {
    const response = await services.egress.fetch(remote.url, {
      ...('headers' in remote ? { headers: remote.headers } : {}),
      ...{ redirects: 3, maxBytes, timeoutsMs, signal },
    });
    if (response.status !== 200) {
      response.body.on('error', () => undefined).destroy();
      throw new ImportFailed(`the file could not be fetched: the server responded with ${response.status}`);
    }
    await services.storage.put(archiveKey(project.id), response.body);
  } catch (error) {
    const final = error instanceof EgressRefused || error instanceof ResponseTooLarge;
    throw final ? new ImportFailed(`the file could not be fetched: ${error.message}`) : error;
  }
}

/** Folder of the unpacked archive. */
export async function openArchive(run: ImportRun): Promise<string> {
  const { services, project, signal } = run;
  const { host, storedAs = { key: archiveKey(project.id), folder: String(project.id) } } =
    run.options<ArchiveOptions>();
  const folder = folderOf(services, storedAs.folder);
  await unpackOnce(services, folder, signal, async (limits, until) => {
    if (host !== undefined) return unpackRelations(run, folder, limits, until);
    const { stream } = await services.storage.get(storedAs.key);
    await unpack(stream, folder, limits, until);
  });
  return folder;
}

/**
 * Unpacks a file into a folder within the configured limits. Done once per server, so another server that takes over
 * unpacks it again.
 */
export async function unpackOnce(
  services: Services,
  folder: string,
  signal: AbortSignal,
  fill: (limits: UnpackLimits, until: AbortSignal) => Promise<void>,
): Promise<void> {
  const complete = join(folder, 'complete');
  if (await stat(complete).catch(ifMissing)) return;
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const { max_decompressed_archive_size: most, decompress_archive_file_timeout: seconds } =
    await services.settings.read();
  const limits = { bytes: most === 0 ? maxUnpackedBytes : most * mebibyte, entries: maxEntries };
  const deadline = seconds === 0 ? undefined : AbortSignal.timeout(seconds * 1000);
  const until = deadline ? AbortSignal.any([signal, deadline]) : signal;
  try {
    await fill(limits, until);
  } catch (error) {
    if (deadline?.aborted && !signal.aborted) {
      throw new ImportFailed(`the file takes longer to unpack than ${seconds} seconds`);
    }
    if (error instanceof BadArchive || error instanceof FileMissing) throw new ImportFailed(error.message);
    throw error;
  }
  await writeFile(complete, '');
}

/** Deletes the archive and the unpacked files. */
export async function clearArchive(services: Services, projectId: number): Promise<void> {
  await clearFolder(services, String(projectId));
  await services.storage.delete(archiveKey(projectId));
  await clearRelations(services, projectId);
}

/** Deletes the unpacked files. */
export async function clearFolder(services: Services, name: string): Promise<void> {
  await rm(folderOf(services, name), { recursive: true, force: true });
}
