import type { NamedPerson } from '../content/public.ts';
import { type Fields, numberOf, textOf } from './fields.ts';
import { longestLine, readLines } from './lines.ts';

const maxPeople = 100_000;

/** What some files of lines say of people: each line somebody, or, of members, with somebody. */
export async function readNames(files: readonly string[]): Promise<ReadonlyMap<number, NamedPerson>> {
  const known = new Map<number, NamedPerson>();
  const note = (fields: Fields) => {
    const number = numberOf(fields.id);
    if (number === null || known.size >= maxPeople) return;
    const cut = (value: unknown) => textOf(value)?.slice(0, 255) || undefined;
    known.set(number, { username: cut(fields.username), name: cut(fields.name), email: cut(fields.public_email) });
  };
  for (const file of files) {
    for await (const { fields } of readLines(file, longestLine)) {
      const user = fields?.user ?? fields;
      if (typeof user === 'object' && user !== null) note({ ...user });
    }
  }
  return known;
}
