import { openDatabase } from '../../../src/platform/database/database.ts';
import './specimens.ts';

// Started by the tests with a SQLite file, a prefix and a count: writes that many rows, at most 20 concurrently, and
// prints each title as soon as it is acknowledged.
const [file, prefix, count] = process.argv.slice(2);
const db = await openDatabase({ file });
let next = 0;

async function writeRows(): Promise<void> {
  while (next < Number(count)) {
    const title = `${prefix}-${next++}`;
    await db.write(async (trx) => {
      await trx.insertInto('specimens').values({ title }).execute();
      await trx
        .updateTable('specimen_shelves')
        .set((eb) => ({ capacity: eb('capacity', '+', 1) }))
        .execute();
    });
    process.stdout.write(`${title}\n`);
  }
}

await Promise.all(Array.from({ length: 20 }, writeRows));
await db.close();
