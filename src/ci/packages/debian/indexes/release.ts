import type { DistributionValues } from '../distributions/fields.ts';
import { fieldText } from '../formats/paragraph.ts';

/** An index file as a release lists it. */
export interface ListedIndex {
  /** Relative to the release, e.g. `main/binary-amd64/Packages`. */
  readonly path: string;
  readonly size: number;
  readonly sha256: string;
}

/** Writes the text of a release. */
export function releaseText(
  codename: string,
  values: DistributionValues,
  indexes: readonly ListedIndex[],
  { at, validUntil }: { readonly at: number; readonly validUntil: number | null },
): string {
  const fields = {
    Origin: values.origin,
    Label: values.label,
    Suite: values.suite,
    Version: values.version,
    Codename: codename,
    Date: new Date(at).toUTCString(),
    'Valid-Until': validUntil === null ? null : new Date(validUntil).toUTCString(),
    'Acquire-By-Hash': 'yes',
    Architectures: values.architectures.join(' '),
    Components: values.components.join(' '),
    Description: values.description,
  };
  const sums = indexes.map(({ path, size, sha256 }) => `\n ${sha256} ${size} ${path}`).join('');
  return (
    Object.entries(fields)
      .map(([name, value]) => (value === null ? '' : fieldText(name, value)))
      .join('') + fieldText('SHA256', sums)
  );
}
