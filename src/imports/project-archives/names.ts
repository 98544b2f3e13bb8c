import type { NamedPerson } from '../content/public.ts';
import { type Fields, numberOf, textOf } from './fields.ts';
import { maxLineBytes, readLines } from './lines.ts';

const maxPeople = 100_000;

/** Reads the users described in relation files: one per line, either directly or as a member. */
export async function readNames(files: readonly string[]): Promise<ReadonlyMap<number, NamedPerson>> {
  const known = new Map<number, NamedPerson>();
  const note = (fields: Fields) => {
    const number = numberOf(fields.id);
    if (number === null || known.size >= maxPeople) return;
    const cut = (value: unknown) => textOf(value)?.slice(0, 255) || undefined;
    known.set(number, { username: cut(fields.username), name: cut(fields.name), email: cut(fields.public_email) });
  };
  for (const file of files) {
    for await (const { fields } of readLines(file, maxLineBytes)) {
      const user = fields?.user ?? fields;
      if (typeof user === 'object' && user !== null) note({ ...user });
    }
  }
  return known;
}
