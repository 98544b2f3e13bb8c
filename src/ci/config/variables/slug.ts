import { trimCharacters } from '../../../platform/trim.ts';

/** What stands in host names: 63 bytes of small letters, digits and dashes. */
export function slug(name: string): string {
  return trimCharacters(
    name
      .toLowerCase()
      .replace(/[^a-z0-9]/g, '-')
      .slice(0, 63),
    '-',
  );
}
