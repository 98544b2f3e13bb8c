import { createHmac } from 'node:crypto';
import { join } from 'node:path';
import { numberedPeople } from '../../content/public.ts';
import type { ImportRun } from '../../project-imports/public.ts';
import { type ArchiveOptions, openArchive } from '../archive.ts';
import { type Fields, numberOf, textOf } from '../fields.ts';
import { longestLine, readLines } from '../lines.ts';
import { readNames } from '../names.ts';
import { renameUploads } from '../uploads.ts';

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
  const { salt, keepsUploads } = run.options<ArchiveOptions>();
  const secretOf = (secret: string) =>
    keepsUploads ? secret : createHmac('sha256', salt).update(secret).digest('hex').slice(0, 32);
  const person = await personFinder(run, folder);
  return {
    run,
    folder,
    person,
    personOrNull: async (number) => (numberOf(number) === null ? null : person(number)),
    text: (value) => renameUploads(textOf(value) ?? '', secretOf),
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

/** Whoever a number in the file is here; whoever asked for the import where it is none. */
async function personFinder(run: ImportRun, folder: string): Promise<(number: unknown) => Promise<number>> {
  const known = await readNames(['project_members', 'user_contributions'].map((name) => relationFile(folder, name)));
  // The people of a server are the same in all that comes from it; those of a file are of that file alone.
  const host = run.options<ArchiveOptions>().host ?? `archive:${run.project.id}`;
  const personOf = await numberedPeople(run, host, (number) => known.get(number));
  return async (sent) => {
    const number = numberOf(sent);
    return number === null ? run.userId : personOf(number);
  };
}
