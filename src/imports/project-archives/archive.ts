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

/** What was asked for with a file. */
export interface ArchiveOptions {
  /** Where the file is fetched from, or the server that is asked in its place; null when it was sent. */
  readonly url: string | null;
  /** The same for a file in a bucket. */
  readonly bucketFile?: BucketFile;
  /** The project that goes when this one is whole, and what it is called. */
  readonly overwrites?: { readonly projectId: number; readonly name: string; readonly path: string };
  /** What the secrets of uploaded files are made from anew: two projects cannot have the same. */
  readonly salt: string;
  /** The server that it comes from, where it comes from one and not as a file. */
  readonly host?: string;
  /** Where the file and what comes out of it lie, where not in the place of the project. */
  readonly storedAs?: { readonly key: string; readonly folder: string };
  /** Texts name uploaded files as they do in the file, whose project this is. */
  readonly keepsUploads?: boolean;
  /** Settings that count for more than those in the file. */
  readonly overrides: Readonly<Record<string, unknown>>;
}

/** Where the file of a project that is being imported is kept. */
export const archiveKey = (projectId: number) => `imports/${projectId}/archive`;

const folderOf = ({ config }: Services, name: string) => join(config.data, 'tmp', 'imports', name);

/** Fetches the file, where it is elsewhere. */
export async function fetchArchive(run: ImportRun): Promise<void> {
  const { services, project, signal } = run;
  const { url, bucketFile } = run.options<ArchiveOptions>();
  const asked = bucketFile
    ? signedGet(bucketFile, services.config.importS3Url, new Date())
    : url === null
      ? null
      : { url };
  if (asked === null) return;
  const { max_import_remote_file_size: most } = await services.settings.read();
  const maxBytes = most === 0 ? maxUnpackedBytes : most * mebibyte;
  const timeoutsMs = { headers: 60_000, body: 300_000, total: 6 * hour };
  try {
    const response = await services.egress.fetch(asked.url, {
      ...('headers' in asked ? { headers: asked.headers } : {}),
      ...{ redirects: 3, maxBytes, timeoutsMs, signal },
    });
    if (response.status !== 200) {
      response.body.on('error', () => undefined).destroy();
      throw new ImportFailed(`the file could not be fetched: answered with ${response.status}`);
    }
    await services.storage.put(archiveKey(project.id), response.body);
  } catch (error) {
    const final = error instanceof EgressRefused || error instanceof ResponseTooLarge;
    throw final ? new ImportFailed(`the file could not be fetched: ${error.message}`) : error;
  }
}

/** The folder with what is in the file. */
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

/** Has a folder filled from a file within what the settings allow; once, and again where another server goes on. */
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

/** Removes the file and what came out of it. */
export async function clearArchive(services: Services, projectId: number): Promise<void> {
  await clearFolder(services, String(projectId));
  await services.storage.delete(archiveKey(projectId));
  await clearRelations(services, projectId);
}

/** Removes what came out of a file. */
export async function clearFolder(services: Services, name: string): Promise<void> {
  await rm(folderOf(services, name), { recursive: true, force: true });
}
