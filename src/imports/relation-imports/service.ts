import { randomBytes } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import type { SignedInActor } from '../../access/actor.ts';
import type { Services } from '../../access/services.ts';
import { type ProjectSubject, readableProject } from '../../access/subjects.ts';
import { lockProject } from '../../namespaces/projects/public.ts';
import { UploadedFile } from '../../platform/http/bodies/upload.ts';
import { Conflict, Forbidden, ParameterError } from '../../platform/http/errors.ts';
import { Page, type PageRequest } from '../../platform/http/pages/pagination.ts';
import { checkParams } from '../../platform/http/params.ts';
import { instant } from '../../platform/http/schema.ts';
import { withUploadedArchive } from '../project-archives/public.ts';
import { requireSource } from '../project-imports/public.ts';
import { type RelationImportEntity, relationImport } from './schema.ts';
import * as store from './store.ts';
import type { ImportedRelation, RelationImportRow } from './tables.ts';

const day = 24 * 60 * 60_000;

/** Stores an uploaded archive and imports one of its relations into an existing project in the background. */
export async function importRelation(
  services: Services,
  caller: SignedInActor,
  request: FastifyRequest,
  sent: Readonly<Record<string, unknown>>,
): Promise<RelationImportEntity> {
  await requireSource(services, 'gitlab_project');
  return withUploadedArchive(services, request, async (fields) => {
    const { file, path, relation } = checkParams(relationImport, [], { ...fields, ...sent });
    if (!(file instanceof UploadedFile)) throw new ParameterError('file is invalid');
    const subject = await readableProject(services.db, caller, path);
    // Settings of archived projects can be changed, but nothing can be imported.
    if (!subject.can('admin_project') || subject.archived) throw new Forbidden();
    const row = await begin(services, caller, subject, { relation, file });
    return present(subject, row);
  });
}

async function begin(
  { db, queue, storage }: Services,
  { user }: SignedInActor,
  { project }: ProjectSubject,
  { relation, file }: { readonly relation: ImportedRelation; readonly file: UploadedFile },
): Promise<RelationImportRow> {
  const storage_key = `imports/relations/${randomBytes(16).toString('hex')}`;
  // Deletes the archive after a day in case of a crash or rejection.
  await db.write((trx) =>
    queue.enqueue(trx, 'relation-imports.clear', { key: storage_key }, { runAt: Date.now() + day }),
  );
  await storage.put(storage_key, file.open(), { expectedSize: file.size });
  return db.write(async (trx) => {
    const { import_status } = await lockProject(trx, project.id);
    if (['scheduled', 'started'].includes(import_status)) throw new Conflict('The project is being imported');
    if (await store.runningImport(trx, project.id)) {
      throw new Conflict('A relation is already being imported into this project');
    }
    const now = Date.now();
    const owner = { project_id: project.id, user_id: user.id };
    const row = await store.insertImport(trx, { ...owner, relation, storage_key, created_at: now, updated_at: now });
    await queue.enqueue(trx, 'relation-imports.run', { importId: row.id });
    return row;
  });
}

/** Lists the relation imports of a project, oldest first. */
export async function listImports(
  { db }: Services,
  subject: ProjectSubject,
  slice: PageRequest,
): Promise<Page<RelationImportEntity>> {
  const { rows, total } = await store.listImports(db.read, subject.project.id, slice);
  return new Page(rows, total).map((row) => present(subject, row));
}

function present({ project, namespace }: ProjectSubject, row: RelationImportRow): RelationImportEntity {
  return {
    id: row.id,
    project_path: `${namespace.full_path}/${project.path}`,
    relation: row.relation,
    status: row.status,
    created_at: instant(row.created_at),
    updated_at: instant(row.updated_at),
  };
}
