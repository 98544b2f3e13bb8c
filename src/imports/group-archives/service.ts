import { randomBytes } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import type { SignedInActor } from '../../access/actor.ts';
import { visibilityName } from '../../access/roles.ts';
import type { Services } from '../../access/services.ts';
import { type GroupSubject, lookUpNamespace } from '../../access/subjects.ts';
import { createGroup, removeSoon } from '../../namespaces/groups/public.ts';
import { UploadedFile } from '../../platform/http/bodies/upload.ts';
import { ParameterError } from '../../platform/http/errors.ts';
import { checkParams, type ParamsOf } from '../../platform/http/params.ts';
import { instant } from '../../platform/http/schema.ts';
import { withUploadedArchive } from '../project-archives/public.ts';
import { presentFailure } from '../project-imports/public.ts';
import { type GroupImportStatusEntity, groupImport } from './schema.ts';
import * as store from './store.ts';

const day = 24 * 60 * 60_000;

/** Stores an uploaded group archive, creates the group and imports the archive in the background. */
export async function importFile(
  services: Services,
  caller: SignedInActor,
  request: FastifyRequest,
  sent: Readonly<Record<string, unknown>>,
): Promise<{ id: number }> {
  return withUploadedArchive(services, request, async (fields) => {
    const { file, ...params } = checkParams(groupImport, [], { ...fields, ...sent });
    if (!(file instanceof UploadedFile)) throw new ParameterError('file is invalid');
    return begin(services, caller, params, file);
  });
}

async function begin(
  services: Services,
  caller: SignedInActor,
  { name, path, parent_id }: Omit<ParamsOf<typeof groupImport>, 'file'>,
  file: UploadedFile,
): Promise<{ id: number }> {
  const { db, queue, storage } = services;
  const parent = parent_id === undefined ? undefined : await lookUpNamespace(db.read, String(parent_id));
  const group = await createGroup(services, caller, {
    ...{ name, path, visibility: visibilityName(parent?.visibility ?? 0) },
    ...(parent_id === undefined ? {} : { parent_id }),
  });
  const storage_key = `imports/groups/${randomBytes(16).toString('hex')}`;
  try {
    // Deletes the archive after a day in case the server crashes before the import is created.
    await db.write((trx) =>
      queue.enqueue(trx, 'group-archives.clear', { key: storage_key }, { runAt: Date.now() + day }),
    );
    await storage.put(storage_key, file.open(), { expectedSize: file.size });
    await db.write(async (trx) => {
      const now = Date.now();
      const row = { namespace_id: group.id, user_id: caller.user.id, storage_key, created_at: now, progress_at: now };
      await store.insertImport(trx, row);
      await queue.enqueue(trx, 'group-archives.run', { groupId: group.id });
    });
  } catch (error) {
    await db.write((trx) => removeSoon(services, trx, group.id));
    throw error;
  }
  return { id: group.id };
}

/** Status of a group import with its failures. */
export async function importStatus({ db }: Services, { group }: GroupSubject): Promise<GroupImportStatusEntity> {
  const row = await store.findImport(db.read, group.id);
  const failures = row ? await store.failuresOf(db.read, group.id) : [];
  return {
    id: group.id,
    name: group.name,
    path: group.path,
    full_path: group.full_path,
    created_at: instant(group.created_at),
    import_status: row?.status ?? 'none',
    import_error: row?.error ?? null,
    failed_relations: failures.map(presentFailure),
  };
}
