import { mkdir } from 'node:fs/promises';
import { migrations } from '../../src/migrations/list.ts';
import { openDatabase } from '../../src/platform/database/database.ts';
import { migrate } from '../../src/platform/database/migrator.ts';
import { databasePlace } from '../../src/server.ts';
import { defineCommand } from '../command.ts';
import { inWords } from '../in-words.ts';

/** `hearth migrate` */
export const command = defineCommand({
  about: 'Brings the database up to date and stops. `hearth serve` does the same when it starts.',
  examples: ['hearth migrate', 'DATABASE_URL=postgres://hearth@db/hearth hearth migrate'],
  flags: {},
  async run({ config }) {
    await mkdir(config.data, { recursive: true, mode: 0o700 });
    const db = await openDatabase(databasePlace(config)).catch(inWords(config));
    try {
      const { applied } = await migrate(db, migrations).catch(inWords(config));
      console.log([...applied.map((name) => `applied ${name}`), 'The database is up to date.'].join('\n'));
    } finally {
      await db.close();
    }
    return 0;
  },
});
