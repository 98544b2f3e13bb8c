import { referenceInAddress } from './address.ts';
import { findReferences } from './find.ts';
import type { Reference, WrittenReference } from './reference.ts';

/** Parses a word as a reference, such as `#1` or `group/project#1`, or as the URL of a page of this instance. */
export function parseWholeReference(word: string, instanceUrl: string): WrittenReference | undefined {
  const address = referenceInAddress(word, instanceUrl);
  if (address) return address;
  const [found, ...more] = findReferences(word);
  return found && more.length === 0 && found.written === word ? found : undefined;
}

/** Parses a word as a reference. */
export function readReference(word: string, instanceUrl: string): Reference | undefined {
  return parseWholeReference(word, instanceUrl)?.reference;
}
