import Type from 'typebox';
import type { Services } from '../../access/services.ts';
import type { ProjectSubject } from '../../access/subjects.ts';
import { EgressRefused } from '../../platform/egress/client.ts';
import { HttpError, NotFound } from '../../platform/http/errors.ts';
import { instant } from '../../platform/http/schema.ts';
import { FileMissing, type OpenFile } from '../../platform/storage/storage.ts';
import { storedJson } from '../../platform/stored-json.ts';
import type { ExportStateEntity, NewExportParams } from './schema.ts';
import * as store from './store.ts';
import type { ProjectExportRow } from './tables.ts';

/** Encryption purpose of the options. */
export const purpose = 'project_exports.options';

/** Options of an export. */
export const readOptions = storedJson(
  Type.Object({
    description: Type.Union([Type.String(), Type.Null()]),
    upload: Type.Union([Type.Object({ url: Type.String(), method: Type.String() }), Type.Null()]),
  }),
);

async function requireEnabled({ settings }: Services): Promise<void> {
  if (!(await settings.read()).project_export_enabled) throw new NotFound();
}

/** Requests an export. A running export is reused. */
export async function startExport(
  services: Services,
  { project }: ProjectSubject,
  { description, upload }: NewExportParams,
): Promise<{ message: string }> {
  await requireEnabled(services);
  const { db, encryption, queue } = services;
  const target =
    upload?.url === undefined
      ? null
      : { url: await checkedUrl(services, upload.url), method: upload.http_method ?? 'PUT' };
  const options = encryption.encrypt(JSON.stringify({ description: description ?? null, upload: target }), purpose);
  await db.write(async (trx) => {
    const known = await store.findExport(trx, project.id);
    if (known?.status === 'queued') return;
    await store.requestExport(trx, {
      project_id: project.id,
      status: 'queued',
      options,
      storage_key: null,
      size: null,
      filename: null,
      error: null,
      asked_at: Date.now(),
      finished_at: null,
    });
    await queue.enqueue(trx, 'project-exports.make', { projectId: project.id }, { dedupeKey: `${project.id}` });
  });
  return { message: '202 Accepted' };
}

async function checkedUrl({ egress }: Services, text: string): Promise<string> {
  try {
    return (await egress.checkUrl(text)).url.href;
  } catch (error) {
    if (!(error instanceof EgressRefused)) throw error;
    throw new HttpError(400, { message: `upload[url] is blocked: ${error.message}` });
  }
}

export async function exportState(
  services: Services,
  { project, namespace }: ProjectSubject,
): Promise<ExportStateEntity> {
  await requireEnabled(services);
  const row = await store.findExport(services.db.read, project.id);
  const export_status = statusOf(row);
  const fullPath = `${namespace.full_path}/${project.path}`;
  const links = {
    api_url: `${services.externalUrl}/api/v4/projects/${project.id}/export/download`,
    web_url: `${services.externalUrl}/${fullPath}/download_export`,
  };
  return {
    id: project.id,
    description: project.description,
    name: project.name,
    name_with_namespace: `${namespace.full_name} / ${project.name}`,
    path: project.path,
    path_with_namespace: fullPath,
    created_at: instant(project.created_at),
    export_status,
    ...(export_status === 'finished' ? { _links: links } : {}),
  };
}

/** A finished export remains valid until it is replaced. */
function statusOf(row: ProjectExportRow | undefined): string {
  if (!row) return 'none';
  const working = row.status === 'queued' || row.status === 'started';
  if (row.storage_key !== null) return working ? 'regeneration_in_progress' : 'finished';
  return working ? row.status : 'none';
}

export async function openExport(
  services: Services,
  { project }: ProjectSubject,
): Promise<{ file: OpenFile; filename: string }> {
  await requireEnabled(services);
  const missing = new HttpError(404, { message: '404 Not found or has expired' });
  const row = await store.findExport(services.db.read, project.id);
  if (!row || row.storage_key === null) throw missing;
  const file = await services.storage.get(row.storage_key).catch((error: unknown) => {
    throw error instanceof FileMissing ? missing : error;
  });
  return { file, filename: row.filename ?? 'export.tar.gz' };
}
