import { trimCharacters } from '../../../platform/trim.ts';

/** Converts a name to a DNS label: up to 63 lowercase letters, digits and dashes. */
export function slug(name: string): string {
  return trimCharacters(
    name
      .toLowerCase()
      .replace(/[^a-z0-9]/g, '-')
      .slice(0, 63),
    '-',
  );
}
