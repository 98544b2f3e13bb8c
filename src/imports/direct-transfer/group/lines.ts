import { mkdir, rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Services } from '../../../access/services.ts';
import { lookUpNamespace } from '../../../access/subjects.ts';
import type { Namespace } from '../../../access/tables.ts';
import { EgressRefused, ResponseTooLarge } from '../../../platform/egress/client.ts';
import { ifMissing } from '../../../platform/missing.ts';
import type { GroupRun, Written } from '../../group-relations/public.ts';
import { HostError } from '../../host-client/public.ts';
import { BadArchive, gunzipTo } from '../../project-archives/public.ts';
import { ImportEnded } from '../../project-imports/public.ts';
import { awaitExport, downloadLimits } from '../exports.ts';
import { migrationType } from '../project/options.ts';
import { placeOf } from '../source.ts';
import * as store from '../store.ts';
import type { TransferRun } from '../transfer-run.ts';

const relations = ['labels', 'milestones', 'badges', 'boards', 'epics', 'members', 'user_contributions'];

export const folderOf = ({ config }: Services, entityId: number) =>
  join(config.data, 'tmp', 'imports', `transfer-${entityId}`);

/** Has the other server make its files. */
export async function prepareRelations(run: TransferRun): Promise<void> {
  const place = placeOf('group', run.entity.source_full_path);
  const ready = await awaitExport(run, run.client, place, relations);
  // Servers tell of the members of a group there, but not always of everybody else.
  for (const relation of relations.slice(0, -1)) {
    if (ready.has(relation) || run.cursor(relation) !== undefined) continue;
    await run.fail(relation, 'file', new Error('The other server could not make its file'));
    await run.advance(relation, 'failed');
  }
}

/** The file of a relation, unpacked; undefined where there is none. */
async function fileOf(run: TransferRun, relation: string): Promise<string | undefined> {
  const { services, entity, signal } = run;
  const folder = folderOf(services, entity.id);
  const path = join(folder, `${relation}.ndjson`);
  if (await stat(path).catch(ifMissing)) return path;
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const place = `${placeOf('group', entity.source_full_path)}/export_relations/download?relation=${relation}`;
  const { bulk_import_max_download_file_size: most } = await services.settings.read();
  const limits = downloadLimits(most);
  try {
    const packed = await run.client.download(place, { ...limits, signal });
    await gunzipTo(packed, `${path}.part`, limits.maxBytes * 10, signal);
  } catch (error) {
    const gone = error instanceof HostError && error.status === 404;
    if (gone) return undefined;
    const final = error instanceof BadArchive || error instanceof EgressRefused || error instanceof ResponseTooLarge;
    if (!final) throw error;
    await run.fail(relation, 'file', error);
    return undefined;
  }
  await rename(`${path}.part`, path);
  return path;
}

/** The group that the entity became; it is over where somebody removed it meanwhile. */
async function groupOf({ services, entity }: TransferRun): Promise<Namespace> {
  const group = entity.namespace_id === null ? undefined : await findGroup(services, entity.namespace_id);
  if (!group) throw new ImportEnded('the group is gone');
  return group;
}

const findGroup = ({ db }: Services, id: number) => lookUpNamespace(db.read, String(id));

/** The entity as the relations of a group are read into it. */
export function groupRun(run: TransferRun): GroupRun {
  const { services, signal, entity, access } = run;
  const kept = async (relation: string, line: number, imported: boolean, write: Written) => {
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
    reached: () => Number(run.cursor('line') ?? 0),
    keep: (relation, line, write) => kept(relation, line, true, write),
    async miss(relation, line, error) {
      const failure = run.failure(relation, `line ${line}`, error);
      await kept(relation, line, false, (trx) => store.insertFailures(trx, entity, [failure]));
    },
  };
}
