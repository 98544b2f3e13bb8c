import type { Namespace } from '../../access/tables.ts';
import { numberedPeople } from '../content/public.ts';
import { fields, longestLine, readLines, readNames } from '../project-archives/public.ts';
import { ImportEnded } from '../project-imports/public.ts';
import type { GroupRun, Written } from './run.ts';

/** What the relations of a group have at hand. */
export interface GroupContext {
  readonly group: Namespace;
  /** Whose number elsewhere this is here; whoever asked for the import where it is none. */
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
 * Every object of a relation that was not read yet. Each is written together with the place that was reached, so that none
 * comes twice; what goes wrong with one is kept with it, and the rest goes on.
 */
export async function everyLine(
  run: GroupRun,
  relation: string,
  each: (line: fields.Fields) => Promise<Written>,
  counted = relation,
): Promise<void> {
  const path = await run.file(relation);
  if (path === undefined) return;
  const done = run.reached();
  for await (const { number, fields: line } of readLines(path, longestLine)) {
    run.signal.throwIfAborted();
    if (number <= done) continue;
    try {
      if (!line) throw new Error('the line cannot be read');
      await run.keep(counted, number, await each(line));
    } catch (error) {
      if (error instanceof ImportEnded || run.signal.aborted) throw error;
      await run.miss(counted, number, error);
    }
  }
}
