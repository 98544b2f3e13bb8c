import { createHmac } from 'node:crypto';
import { join } from 'node:path';
import { numberedPeople } from '../../content/public.ts';
import type { ImportRun } from '../../project-imports/public.ts';
import { type ArchiveOptions, openArchive } from '../archive.ts';
import { type Fields, numberOf, textOf } from '../fields.ts';
import { maxLineBytes, readLines } from '../lines.ts';
import { readNames } from '../names.ts';
import { renameUploads } from '../uploads.ts';

const saveInterval = 20;

/** Context shared by all stages. */
export interface ArchiveContext {
  readonly run: ImportRun;
  readonly folder: string;
  /** Maps a user ID of the archive to a user here; defaults to the requesting user. */
  person(number: unknown): Promise<number>;
  personOrNull(number: unknown): Promise<number | null>;
  text(value: unknown): string;
  textOrNull(value: unknown): string | null;
  /** New secret of an uploaded file. */
  secretOf(secret: string): string;
  /** New discussion ID. It cannot collide with existing ones, whatever the archive contains. */
  threadOf(id: string): string;
  /** Calls `each` for every unread record of a relation. */
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
    textOrNull: (value) => (textOf(value) === null ? null : renameUploads(textOf(value) ?? '', secretOf)),
    secretOf,
    threadOf: (id) => createHmac('sha1', salt).update(id).digest('hex'),
    async every(relation, each) {
      const done = Number(run.cursor(relation) ?? 0);
      for await (const { number, fields } of readLines(relationFile(folder, relation), maxLineBytes)) {
        run.signal.throwIfAborted();
        if (number <= done) continue;
        if (fields) await each(fields, number);
        else if (fields === undefined)
          await run.fail(relation, `line ${number}`, new Error('the line is not valid JSON'));
        if (number % saveInterval === 0) await run.advance(relation, String(number));
      }
    },
  };
}

export const relationFile = (folder: string, relation: string) => join(folder, 'tree', 'project', `${relation}.ndjson`);

/** Maps user IDs of the archive; defaults to the requesting user. */
async function personFinder(run: ImportRun, folder: string): Promise<(number: unknown) => Promise<number>> {
  const known = await readNames(['project_members', 'user_contributions'].map((name) => relationFile(folder, name)));
  // Users of a server are shared by all its imports; users of an archive are specific to it.
  const host = run.options<ArchiveOptions>().host ?? `archive:${run.project.id}`;
  const personOf = await numberedPeople(run, host, (number) => known.get(number));
  return async (sent) => {
    const number = numberOf(sent);
    return number === null ? run.userId : personOf(number);
  };
}
