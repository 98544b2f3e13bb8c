import { createWriteStream, openAsBlob } from 'node:fs';
import { copyFile, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { gzipFiles, selectFiles, unzipInto, zipFiles } from './files.ts';
import type { JobArtifacts, JobDependency, RunnerProtocol } from './protocol.ts';

/** The files of a job, and how operations on them are reported. */
export interface FileWork {
  readonly protocol: RunnerProtocol;
  /** The work tree. */
  readonly folder: string;
  /** Folder for archives. */
  readonly scratch: string;
  readonly log: (line: string) => void;
  readonly expand: (text: string) => string;
  readonly untracked: () => Promise<readonly string[]>;
}

/** Downloads the artifacts of an earlier job into the work tree. */
export async function fetchArtifacts(work: FileWork, dependency: JobDependency): Promise<boolean> {
  if (!dependency.artifacts_file?.filename) return true;
  work.log(`Downloading artifacts for ${dependency.name} (${dependency.id})...`);
  const headers = { 'job-token': dependency.token };
  const response = await work.protocol.send('GET', `/jobs/${dependency.id}/artifacts`, { headers });
  if (response.status !== 200 || !response.body) {
    work.log(`ERROR: the server responded with ${response.status}`);
    await response.body?.cancel();
    return false;
  }
  const archive = join(work.scratch, `dependency-${dependency.id}.zip`);
  try {
    await pipeline(response.body, createWriteStream(archive));
    await unzipInto(archive, work.folder);
    return true;
  } catch (error) {
    work.log(`ERROR: the archive cannot be unpacked: ${(error as Error).message}`);
    return false;
  } finally {
    await rm(archive, { force: true });
  }
}

const endings: Readonly<Record<string, string>> = { zip: '.zip', gzip: '.gz' };

/** Uploads one kind of artifacts of a job; true if there is nothing to upload. */
export async function uploadArtifacts(
  work: FileWork,
  job: { readonly id: number; readonly token: string },
  artifacts: JobArtifacts,
): Promise<boolean> {
  const paths = [...(artifacts.paths ?? []).map(work.expand), ...(artifacts.untracked ? await work.untracked() : [])];
  if (paths.length === 0) return true;
  work.log(
    artifacts.artifact_type === 'archive' ? 'Uploading artifacts...' : `Uploading ${artifacts.artifact_type} report...`,
  );
  const files = await selectFiles(work.folder, paths, (artifacts.exclude ?? []).map(work.expand));
  for (const path of artifacts.paths ?? []) work.log(`${path}: ${files.length === 0 ? 'no matching files' : 'found'}`);
  if (files.length === 0) return true;
  const packed = join(work.scratch, `artifacts-${artifacts.artifact_type}`);
  try {
    await pack(work.folder, files, artifacts.artifact_format, packed);
    return await upload(work, job, artifacts, packed);
  } finally {
    await rm(packed, { force: true });
  }
}

async function pack(folder: string, files: readonly string[], format: string, to: string): Promise<void> {
  if (format === 'zip') return zipFiles(folder, files, to);
  if (format === 'gzip') return gzipFiles(folder, files, to);
  const [only, second] = files;
  if (only === undefined || second !== undefined) throw new Error('this type of report must be a single file');
  await copyFile(join(folder, only), to);
}

async function upload(
  work: FileWork,
  { id, token }: { readonly id: number; readonly token: string },
  artifacts: JobArtifacts,
  packed: string,
): Promise<boolean> {
  const { artifact_type, artifact_format, expire_in } = artifacts;
  const query = new URLSearchParams({ artifact_type, artifact_format, ...(expire_in && { expire_in }) });
  const name = basename(work.expand(artifacts.name || 'artifacts')) + (endings[artifact_format] ?? '');
  const response = await work.protocol.send('POST', `/jobs/${id}/artifacts?${query}`, {
    headers: { 'job-token': token },
    body: async () => {
      const form = new FormData();
      form.set('file', await openAsBlob(packed), name);
      return form;
    },
  });
  const body = await response.text();
  if (response.status === 201) return true;
  work.log(`ERROR: the server responded with ${response.status} ${body.slice(0, 200)}`);
  return false;
}
