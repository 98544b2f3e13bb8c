import { createHmac } from 'node:crypto';
import { join } from 'node:path';
import { findUser } from '../../../access/credentials/identify.ts';
import { People } from '../../content/public.ts';
import type { ImportRun } from '../../project-imports/public.ts';
import { type ArchiveOptions, openArchive } from '../archive.ts';
import { type Fields, numberOf, textOf } from '../fields.ts';
import { readLines } from '../lines.ts';
import { userOfEmail } from '../store.ts';

const longestLine = 64 * 1024 * 1024;
const keepEvery = 20;

/** What every stage has at hand. */
export interface ArchiveContext {
  readonly run: ImportRun;
  readonly folder: string;
  /** Whose number in the file this is here; whoever asked for the import where the file names nobody. */
  person(number: unknown): Promise<number>;
  personOrNull(number: unknown): Promise<number | null>;
  text(value: unknown): string;
  /** The secret that an uploaded file has here. */
  secretOf(secret: string): string;
  /** The thread that one of the file is here: another than anybody has, whatever the file calls it. */
  threadOf(id: string): string;
  /** Every object of a relation that has not been read yet, each to be imported by `each`. */
  every(relation: string, each: (fields: Fields, line: number) => Promise<void>): Promise<void>;
}

export async function contextOf(run: ImportRun): Promise<ArchiveContext> {
  const folder = await openArchive(run);
  const { salt } = run.options<ArchiveOptions>();
  const secretOf = (secret: string) => createHmac('sha256', salt).update(secret).digest('hex').slice(0, 32);
  const person = await personFinder(run, folder);
  return {
    run,
    folder,
    person,
    personOrNull: async (number) => (numberOf(number) === null ? null : person(number)),
    text: (value) =>
      (textOf(value) ?? '').replaceAll(
        /\/uploads\/([0-9a-f]{32})\//g,
        (_, secret: string) => `/uploads/${secretOf(secret)}/`,
      ),
    secretOf,
    threadOf: (id) => createHmac('sha1', salt).update(id).digest('hex'),
    async every(relation, each) {
      const done = Number(run.cursor(relation) ?? 0);
      for await (const { number, fields } of readLines(relationFile(folder, relation), longestLine)) {
        run.signal.throwIfAborted();
        if (number <= done) continue;
        if (fields) await each(fields, number);
        else await run.fail(relation, `line ${number}`, new Error('the line cannot be read'));
        if (number % keepEvery === 0) await run.advance(relation, String(number));
      }
    },
  };
}

export const relationFile = (folder: string, relation: string) => join(folder, 'tree', 'project', `${relation}.ndjson`);

/**
 * The people of a file. Its maker could have written anything, so nobody's name is put to it: everybody gets an account
 * that nobody signs in with, of this import alone. Only for administrators, who could do anything anyway, those whose public
 * address is the confirmed one of somebody here are that somebody.
 */
async function personFinder(run: ImportRun, folder: string): Promise<(number: unknown) => Promise<number>> {
  const people = new People(run, `archive:${run.project.id}`);
  const importer = await findUser(run.services.db.read, run.userId);
  const known = await namesIn(folder);
  const found = new Map<number, number>();
  return async (sent) => {
    const number = numberOf(sent);
    if (number === null) return run.userId;
    const before = found.get(number);
    if (before !== undefined) return before;
    const named = known.get(number);
    const email = importer?.admin === 1 ? named?.email : undefined;
    const here = email ? await userOfEmail(run.services.db.read, email) : undefined;
    const user = { id: number, username: named?.username ?? `user${number}`, name: named?.name ?? null };
    const id = here ?? (await people.idOf(user));
    found.set(number, id);
    return id;
  };
}

interface Named {
  readonly username: string | undefined;
  readonly name: string | undefined;
  readonly email: string | undefined;
}

const mostPeople = 100_000;

async function namesIn(folder: string): Promise<ReadonlyMap<number, Named>> {
  const known = new Map<number, Named>();
  const note = (fields: Fields) => {
    const number = numberOf(fields.id);
    if (number === null || known.size >= mostPeople) return;
    const cut = (value: unknown) => textOf(value)?.slice(0, 255) || undefined;
    known.set(number, { username: cut(fields.username), name: cut(fields.name), email: cut(fields.public_email) });
  };
  for (const relation of ['project_members', 'user_contributions']) {
    for await (const { fields } of readLines(relationFile(folder, relation), longestLine)) {
      const user = relation === 'project_members' ? fields?.user : fields;
      if (typeof user === 'object' && user !== null) note({ ...user });
    }
  }
  return known;
}
