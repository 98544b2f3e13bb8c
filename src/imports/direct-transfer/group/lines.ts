import { mkdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Services } from '../../../access/services.ts';
import { lookUpNamespace } from '../../../access/subjects.ts';
import type { Namespace } from '../../../access/tables.ts';
import { EgressRefused, ResponseTooLarge } from '../../../platform/egress/client.ts';
import { ifMissing } from '../../../platform/missing.ts';
import type { GroupRun, RecordWriter } from '../../group-relations/public.ts';
import { HostError } from '../../host-client/public.ts';
import { BadArchive, gunzipTo, unpack } from '../../project-archives/public.ts';
import { ImportEnded } from '../../project-imports/public.ts';
import { awaitExport, downloadLimits } from '../exports.ts';
import { migrationType } from '../project/options.ts';
import { apiPathOf } from '../source.ts';
import * as store from '../store.ts';
import type { TransferRun } from '../transfer-run.ts';

/** Relations of a group. Server APIs do not return all users these refer to, nor files. */
const dataRelations = ['labels', 'milestones', 'badges', 'boards', 'epics', 'members'];
const relations = [...dataRelations, 'user_contributions', 'uploads'];

/** Maximum number of uploaded files of a group. */
const maxFiles = 1_000_000;

export const folderOf = ({ config }: Services, entityId: number) =>
  join(config.data, 'tmp', 'imports', `transfer-${entityId}`);

/** Has the source server export the relations. */
export async function prepareRelations(run: TransferRun): Promise<void> {
  const place = apiPathOf('group', run.entity.source_full_path);
  const exported = await awaitExport(run, run.client, place, relations);
  for (const relation of dataRelations) {
    if (exported.get(relation) !== false || run.cursor(relation) !== undefined) continue;
    await run.fail(relation, 'file', new Error('The source server failed to export the relation'));
    await run.advance(relation, 'failed');
  }
}

/** Path of the unpacked file of a relation; undefined if it does not exist. */
async function fileOf(run: TransferRun, relation: string): Promise<string | undefined> {
  const path = join(folderOf(run.services, run.entity.id), `${relation}.ndjson`);
  return fetchRelation(run, relation, path, (packed, part, most) => gunzipTo(packed, part, most, run.signal));
}

/** Folder of the uploaded files, one subfolder per secret; undefined if it does not exist. */
async function uploadsOf(run: TransferRun): Promise<string | undefined> {
  const path = join(folderOf(run.services, run.entity.id), 'uploads');
  return fetchRelation(run, 'uploads', path, (packed, part, bytes) =>
    unpack(packed, part, { bytes, entries: maxFiles }, run.signal, undefined, [/^[0-9a-f]{32}\/[^/]{1,255}$/]),
  );
}

type Unpack = (packed: NodeJS.ReadableStream, part: string, most: number) => Promise<void>;

/** Downloads and unpacks a relation once. Errors are recorded as failures. */
async function fetchRelation(run: TransferRun, relation: string, path: string, unpackTo: Unpack) {
  const { services, entity, signal } = run;
  if (await stat(path).catch(ifMissing)) return path;
  const part = `${path}.part`;
  await rm(part, { recursive: true, force: true });
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const place = `${apiPathOf('group', entity.source_full_path)}/export_relations/download?relation=${relation}`;
  const { bulk_import_max_download_file_size: most } = await services.settings.read();
  const limits = downloadLimits(most);
  try {
    await unpackTo(await run.client.download(place, { ...limits, signal }), part, limits.maxBytes * 10);
  } catch (error) {
    const isMissing = error instanceof HostError && error.status === 404;
    if (isMissing) return undefined;
    const final = error instanceof BadArchive || error instanceof EgressRefused || error instanceof ResponseTooLarge;
    if (!final) throw error;
    await run.fail(relation, 'file', error);
    return undefined;
  }
  // The archive may have been empty.
  if (!(await stat(part).catch(ifMissing))) return undefined;
  await rename(part, path);
  return path;
}

/** The group created for the entity. Throws if it was deleted in the meantime. */
async function groupOf({ services, entity }: TransferRun): Promise<Namespace> {
  const group = entity.namespace_id === null ? undefined : await findGroup(services, entity.namespace_id);
  if (!group) throw new ImportEnded('the group no longer exists');
  return group;
}

const findGroup = ({ db }: Services, id: number) => lookUpNamespace(db.read, String(id));

/** Adapts the run of an entity to the interface of the group relations. */
export function groupRun(run: TransferRun): GroupRun {
  const { services, signal, entity, access } = run;
  const save = async (relation: string, line: number, imported: boolean, write: RecordWriter) => {
    run.count(relation, imported);
    await run.advance('line', String(line), write).catch((error: unknown) => {
      run.uncount(relation, imported);
      throw error;
    });
  };
  return {
    ...{ services, signal, userId: entity.user_id, type: migrationType, host: new URL(access.url).host },
    actor: () => run.actor(),
    group: () => groupOf(run),
    file: (relation) => fileOf(run, relation),
    uploads: () => uploadsOf(run),
    secretOf: (secret) =>
      services.encryption.sign(`${entity.id} ${secret}`, 'direct-transfer.upload').toString('hex').slice(0, 32),
    reached: () => Number(run.cursor('line') ?? 0),
    keep: (relation, line, write) => save(relation, line, true, write),
    async miss(relation, line, error) {
      const failure = run.failure(relation, `line ${line}`, error);
      await save(relation, line, false, (trx) => store.insertFailures(trx, entity, [failure]));
    },
  };
}
