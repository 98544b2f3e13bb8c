import { defineCommand } from '../command.ts';
import { withReadableErrors } from '../startup-errors.ts';

/** `hearth migrate` */
export const command = defineCommand({
  about: 'Migrates the database and exits. `hearth serve` does the same when it starts.',
  examples: ['hearth migrate', 'DATABASE_URL=postgres://hearth@db/hearth hearth migrate'],
  flags: {},
  async run({ config }) {
    const { openMigrated } = await import('../../src/open-services.ts');
    const { db, applied } = await openMigrated(config).catch(withReadableErrors(config));
    await db.close();
    console.log([...applied.map((name) => `applied ${name}`), 'The database is up to date.'].join('\n'));
    return 0;
  },
});
