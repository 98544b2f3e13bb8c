import { referenceInAddress } from './address.ts';
import { findReferences } from './find.ts';
import type { Reference, WrittenReference } from './reference.ts';

/** What a word is a reference to, as `#1`, `group/project#1`, or the address of a page of this instance. */
export function readWhole(word: string, instanceUrl: string): WrittenReference | undefined {
  const address = referenceInAddress(word, instanceUrl);
  if (address) return address;
  const [found, ...more] = findReferences(word);
  return found && more.length === 0 && found.written === word ? found : undefined;
}

/** The reference that a word is. */
export function readReference(word: string, instanceUrl: string): Reference | undefined {
  return readWhole(word, instanceUrl)?.reference;
}
