import { referenceInAddress } from './address.ts';
import { findReferences } from './find.ts';
import type { Reference } from './reference.ts';

/** The reference that a word is, as `#1`, `group/project#1`, or the address of a page of this instance. */
export function readReference(word: string, instanceUrl: string): Reference | undefined {
  const address = referenceInAddress(word, instanceUrl);
  if (address) return address.reference;
  const [found, ...more] = findReferences(word);
  return found && more.length === 0 && found.written === word ? found.reference : undefined;
}
