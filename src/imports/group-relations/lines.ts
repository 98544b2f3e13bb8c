import type { Namespace } from '../../access/tables.ts';
import { numberedPeople } from '../content/public.ts';
import { fields, maxLineBytes, readLines, readNames } from '../project-archives/public.ts';
import { ImportEnded } from '../project-imports/public.ts';
import type { GroupRun, RecordWriter } from './run.ts';

/** Context shared by the relations of a group. */
export interface GroupContext {
  readonly group: Namespace;
  /** Maps a user ID of the source to a user here; defaults to the requesting user. */
  person(number: unknown): Promise<number>;
}

export async function contextOf(run: GroupRun): Promise<GroupContext> {
  const { services, userId, type, host } = run;
  const group = await run.group();
  const files = [await run.file('members'), await run.file('user_contributions')];
  const known = await readNames(files.filter((file) => file !== undefined));
  const place = { services, namespace: group, type, userId };
  const personOf = await numberedPeople(place, host, (number) => known.get(number));
  return {
    group,
    person: async (sent) => {
      const number = fields.numberOf(sent);
      return number === null ? userId : personOf(number);
    },
  };
}

/**
 * Iterates over the unread records of a relation. Each record is written together with the progress, so that none is
 * imported twice. Errors are recorded per record.
 */
export async function importRecords(
  run: GroupRun,
  relation: string,
  each: (line: fields.Fields) => Promise<RecordWriter>,
  counted = relation,
): Promise<void> {
  const path = await run.file(relation);
  if (path === undefined) return;
  const done = run.reached();
  for await (const { number, fields: line } of readLines(path, maxLineBytes)) {
    run.signal.throwIfAborted();
    if (number <= done || line === null) continue;
    try {
      if (!line) throw new Error('the line is not valid JSON');
      await run.keep(counted, number, await each(line));
    } catch (error) {
      if (error instanceof ImportEnded || run.signal.aborted) throw error;
      await run.miss(counted, number, error);
    }
  }
}
