import { hash } from 'node:crypto';
import type { Services } from '../../../access/services.ts';
import { longFrom, type PlacedReference, readingAnywhere } from '../../markdown/public.ts';
import { findNote, longNotes } from '../../notes/public.ts';
import { targetOf } from '../changes/records.ts';
import type { IssueRow } from '../tables.ts';

/** Where the references of long texts stand, by `longTextKey`. */
export type LongTexts = ReadonlyMap<string, readonly PlacedReference[]>;

export const longTextKey = (text: string): string => hash('sha256', text);

/** So many long texts of one issue are read; those after them go along as they are. */
const mostTexts = 100;

/**
 * Reads the long texts of an issue that is about to go elsewhere, before the transaction in which it does: a thread reads
 * them, for seconds where it must, and others would wait to write meanwhile.
 */
export async function readLongTexts({ db }: Services, issue: IssueRow): Promise<LongTexts> {
  const read = new Map<string, readonly PlacedReference[]>();
  const heed = async (text: string) => {
    if (text.length >= longFrom) read.set(longTextKey(text), await readingAnywhere.placedReferencesOf(text));
  };
  await heed(issue.description ?? '');
  // Characters may count twice here, and once in the database.
  for (const id of await longNotes(db.read, targetOf(issue), longFrom / 2, mostTexts)) {
    await heed((await findNote(db.read, id))?.body ?? '');
  }
  return read;
}
