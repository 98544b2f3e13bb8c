import type { Writer } from '../../../src/platform/database/database.ts';
import type { Migration } from '../../../src/platform/database/migrator.ts';
import { queue } from '../../../src/platform/queue/migration.ts';

declare module '../../../src/platform/queue/job.ts' {
  interface JobPayloads {
    'test.note': { text: string };
    'test.other': { text: string };
  }
}

declare module '../../../src/platform/database/tables.ts' {
  interface Tables {
    notebook: { text: string };
  }
}

const notebook: Migration = {
  name: '9999-notebook',
  up: ({ text }) => [`create table notebook (text ${text} not null)`],
};

/** The queue's migration, and a table in which handlers record their runs. */
export const migrations: readonly Migration[] = [queue, notebook];

/** Records the run of a handler. */
export async function note(trx: Writer, text: string): Promise<void> {
  await trx.insertInto('notebook').values({ text }).execute();
}
