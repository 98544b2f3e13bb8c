import assert from 'node:assert/strict';
import { gzipSync } from 'node:zlib';
import { writeTar } from '../../../src/platform/git/archive/tar.ts';
import { newTarEntry } from '../../../src/platform/git/archive/tar-entry.ts';
import type { Person } from '../../support/scene.ts';
import type { TestServer } from '../../support/server.ts';
import { until } from '../../support/until.ts';

/** The export file of a project. */
export async function exportedFile(server: TestServer, { token }: Person, id: number): Promise<Buffer> {
  await server.must(`POST /projects/${id}/export`, { token });
  await until(async () => (await server.must(`GET /projects/${id}/export`, { token })).export_status === 'finished');
  const response = await fetch(`${server.url}/api/v4/projects/${id}/export/download`, {
    headers: { 'private-token': token },
  });
  assert.equal(response.status, 200);
  return Buffer.from(await response.arrayBuffer());
}

/** Imports a file as a project, and returns its ID and the relations that could not be imported. */
export async function importedFrom(
  server: TestServer,
  { token }: Person,
  bytes: Buffer,
  fields: Record<string, string>,
) {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  form.append('file', new Blob([new Uint8Array(bytes)]), 'export.tar.gz');
  const { id } = await server.must('POST /projects/import', { token, body: form });
  const state = () => server.must(`GET /projects/${id}/import`, { token });
  await until(async () => ['finished', 'failed', 'canceled'].includes((await state()).import_status));
  const { import_status, import_error, failed_relations } = await state();
  assert.equal(import_status, 'finished', import_error);
  return { id: id as number, failed: failed_relations as { relation_name: string; exception_message: string }[] };
}

/** An export file made of these entries. */
export async function fileOf(entries: Readonly<Record<string, string>>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  const list = Object.entries(entries).map(([path, text]) => {
    const bytes = Buffer.from(text);
    return newTarEntry({ kind: 'file', path, size: bytes.length, mtime: 0, content: [bytes] });
  });
  for await (const chunk of writeTar(list)) chunks.push(chunk);
  return gzipSync(Buffer.concat(chunks));
}
