import { mkdir, rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Services } from '../../../access/services.ts';
import { lookUpNamespace } from '../../../access/subjects.ts';
import type { Namespace } from '../../../access/tables.ts';
import type { Writer } from '../../../platform/database/database.ts';
import { EgressRefused, ResponseTooLarge } from '../../../platform/egress/client.ts';
import { ifMissing } from '../../../platform/missing.ts';
import { numberedPeople } from '../../content/public.ts';
import { HostError } from '../../host-client/public.ts';
import { BadArchive, fields, gunzipTo, longestLine, readLines, readNames } from '../../project-archives/public.ts';
import { awaitExport, downloadLimits } from '../exports.ts';
import { migrationType } from '../project/options.ts';
import { placeOf } from '../source.ts';
import * as store from '../store.ts';
import { TransferEnded, type TransferRun } from '../transfer-run.ts';

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

/** What the stages of a group have at hand. */
export interface GroupContext {
  readonly group: Namespace;
  /** Whose number on the other server this is here; whoever asked for the import where it is none. */
  person(number: unknown): Promise<number>;
}

export async function contextOf(run: TransferRun): Promise<GroupContext> {
  const { services, entity, access } = run;
  const group = await groupOf(run);
  const files = [await fileOf(run, 'members'), await fileOf(run, 'user_contributions')];
  const known = await readNames(files.filter((file) => file !== undefined));
  const place = { services, namespace: group, type: migrationType, userId: entity.user_id };
  const personOf = await numberedPeople(place, new URL(access.url).host, (number) => known.get(number));
  return {
    group,
    person: async (sent) => {
      const number = fields.numberOf(sent);
      return number === null ? entity.user_id : personOf(number);
    },
  };
}

/** The group that the entity became; it is over where somebody removed it meanwhile. */
export async function groupOf({ services, entity }: TransferRun): Promise<Namespace> {
  const group = entity.namespace_id === null ? undefined : await findGroup(services, entity.namespace_id);
  if (!group) throw new TransferEnded('the group is gone');
  return group;
}

const findGroup = ({ db }: Services, id: number) => lookUpNamespace(db.read, String(id));

/** What is to be written of a line, known before the transaction that it is written in. */
export type Written = (trx: Writer) => Promise<void>;

/**
 * Every object of a relation that was not read yet. Each is written together with the place that was reached, so that none
 * comes twice; what goes wrong with one is kept with it, and the rest goes on.
 */
export async function everyLine(
  run: TransferRun,
  relation: string,
  each: (line: fields.Fields) => Promise<Written>,
  counted = relation,
): Promise<void> {
  const path = await fileOf(run, relation);
  if (path === undefined) return;
  const done = Number(run.cursor('line') ?? 0);
  for await (const { number, fields: line } of readLines(path, longestLine)) {
    run.signal.throwIfAborted();
    if (number > done)
      await oneLine(run, counted, number, async () => {
        if (!line) throw new Error('the line cannot be read');
        return each(line);
      });
  }
}

async function oneLine(
  run: TransferRun,
  relation: string,
  number: number,
  prepare: () => Promise<Written>,
): Promise<void> {
  const keep = (imported: boolean, write: Written) => {
    run.count(relation, imported);
    return run.advance('line', String(number), write).catch((error: unknown) => {
      run.uncount(relation, imported);
      throw error;
    });
  };
  try {
    await keep(true, await prepare());
  } catch (error) {
    if (error instanceof TransferEnded || run.signal.aborted) throw error;
    const failure = run.failure(relation, `line ${number}`, error);
    await keep(false, (trx) => store.insertFailures(trx, run.entity, [failure]));
  }
}
