import { createReadStream } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { storeLfsObject } from '../../../code/lfs/public.ts';
import { ensureRepository } from '../../../namespaces/projects/public.ts';
import { ensureWiki } from '../../../planning/wikis/public.ts';
import { isRecord } from '../../../platform/http/parameters/param-readers.ts';
import { ifMissing } from '../../../platform/missing.ts';
import { chooseDefaultBranch } from '../../content/public.ts';
import { ImportFailed, type ImportRun } from '../../project-imports/public.ts';
import { openArchive } from '../archive.ts';
import { fetchBundle } from '../bundle.ts';
import { type Fields, textOf } from '../fields.ts';
import { importUploadsFrom } from '../uploads.ts';
import { contextOf } from './context.ts';

const maxAttributesBytes = 4 * 1024 * 1024;

/** Attributes of the project in the archive. Throws if the archive is not a project export. */
export async function attributesIn(folder: string): Promise<Fields> {
  const path = join(folder, 'tree', 'project.json');
  const found = await stat(path).catch(ifMissing);
  if (!found || found.size > maxAttributesBytes) throw new ImportFailed('the file is not a project export');
  try {
    const value: unknown = JSON.parse(await readFile(path, 'utf8'));
    if (isRecord(value)) return value;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  throw new ImportFailed('the file is not a project export');
}

export async function importBundle(run: ImportRun): Promise<void> {
  const { services, project } = run;
  const folder = await openArchive(run);
  const attributes = await attributesIn(folder);
  const repo = await ensureRepository(services, project);
  const refspecs = ['heads', 'tags', 'merge-requests', 'keep-around'].map((kind) => `+refs/${kind}/*:refs/${kind}/*`);
  if (await fetchBundle(run, repo, join(folder, 'project.bundle'), refspecs)) {
    await chooseDefaultBranch(run, [textOf(attributes.default_branch)]);
  }
}

export async function importWiki(run: ImportRun): Promise<void> {
  const { services, project } = run;
  const bundle = join(await openArchive(run), 'project.wiki.bundle');
  if (!(await stat(bundle).catch(ifMissing))) return;
  const repo = await ensureWiki(services, { project_id: project.id, namespace_id: null });
  try {
    // Wikis here use a single branch, whatever its name was.
    await fetchBundle(run, repo, bundle, ['+HEAD:refs/heads/main']);
    await run.once('wiki', 'bundle', async () => null);
  } catch (error) {
    if (run.signal.aborted) throw error;
    await run.fail('wiki', 'bundle', error);
  }
}

/** Imports uploaded files; texts are updated with their new URLs. */
export async function importUploads(run: ImportRun): Promise<void> {
  const { folder, secretOf } = await contextOf(run);
  const { services, project, userId, signal } = run;
  const owner = { project_id: project.id, namespace_id: null };
  await importUploadsFrom({ services, owner, userId, secretOf, signal }, join(folder, 'uploads'), (secret) =>
    run.once('upload', secret, async () => null),
  );
}

export async function importLargeFiles(run: ImportRun): Promise<void> {
  const root = join(await openArchive(run), 'lfs-objects');
  for (const oid of (await readdir(root).catch(ifMissing)) ?? []) {
    const path = join(root, oid);
    const { size } = await stat(path);
    try {
      await storeLfsObject(run.services, run.project.id, { oid, size }, createReadStream(path), { signal: run.signal });
      await run.once('lfs_object', oid, async () => null);
    } catch (error) {
      if (run.signal.aborted) throw error;
      await run.fail('lfs_object', oid, error);
    }
  }
}
