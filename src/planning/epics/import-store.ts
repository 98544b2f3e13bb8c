import type { Insertable } from 'kysely';
import type { Writer } from '../../platform/database/database.ts';
import { setEpicOf } from '../issues/public.ts';
import { linkIssue } from './issues/store.ts';
import { addLabels } from './store.ts';
import type { EpicRow, EpicsTable } from './tables.ts';

/** Inserts an imported epic with its original IID and timestamps. */
export async function insertImportedEpic(
  trx: Writer,
  row: Insertable<EpicsTable>,
  labelIds: readonly number[],
): Promise<EpicRow> {
  const epic = await trx.insertInto('epics').values(row).returningAll().executeTakeFirstOrThrow();
  await addLabels(trx, epic.id, labelIds);
  return epic;
}

/** Adds an imported issue to an imported epic. */
export async function putImportedIssue(trx: Writer, epicId: number, issueId: number): Promise<void> {
  await linkIssue(trx, epicId, issueId);
  await setEpicOf(trx, issueId, epicId);
}
