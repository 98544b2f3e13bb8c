import { hash } from 'node:crypto';
import type { Services } from '../../../access/services.ts';
import { anyThreadReading, minLongTextLength, type PlacedReference } from '../../markdown/public.ts';
import { findNote, longNotes } from '../../notes/public.ts';
import { targetOf } from '../changes/records.ts';
import type { IssueRow } from '../tables.ts';

/** Positions of the references in long texts, by `longTextKey`. */
export type LongTexts = ReadonlyMap<string, readonly PlacedReference[]>;

export const longTextKey = (text: string): string => hash('sha256', text);

/** Maximum number of long texts parsed per issue; references in further ones are copied unchanged. */
const maxTexts = 100;

/**
 * Parses the long texts of an issue before the transaction that moves it. Parsing may take seconds in a worker thread,
 * and would block other writers if it happened inside the transaction.
 */
export async function readLongTexts({ db }: Services, issue: IssueRow): Promise<LongTexts> {
  const read = new Map<string, readonly PlacedReference[]>();
  const parse = async (text: string) => {
    if (text.length >= minLongTextLength) read.set(longTextKey(text), await anyThreadReading.placedReferencesOf(text));
  };
  await parse(issue.description ?? '');
  // A character may count as two UTF-16 units here but as one in the database.
  for (const id of await longNotes(db.read, targetOf(issue), minLongTextLength / 2, maxTexts)) {
    await parse((await findNote(db.read, id))?.body ?? '');
  }
  return read;
}
