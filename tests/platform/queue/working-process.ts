import { type DatabaseOptions, openDatabase } from '../../../src/platform/database/database.ts';
import { createQueue } from '../../../src/platform/queue/queue.ts';
import { createLocalSignals } from '../../../src/platform/signals/local.ts';
import { note } from './kinds.ts';

// Started by the tests with the location of a database: runs due jobs and records each, unless HEARTH_FAULT kills it
// before.
const place = JSON.parse(process.argv[2] ?? '{}') as DatabaseOptions;
const db = await openDatabase(place);
const onFailure = (error: unknown) => console.error(error);
const queue = createQueue({ db, signals: createLocalSignals(onFailure), onFailure, concurrency: 4 });

queue.defineJob('test.note', (job) =>
  db.write(async (trx) => {
    await note(trx, job.payload.text);
    await job.finish(trx);
  }),
);
queue.defineJob('test.other', (job) => db.write((trx) => note(trx, job.payload.text)));

await queue.drain();
await db.close();
