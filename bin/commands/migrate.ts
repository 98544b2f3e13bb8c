import { defineCommand } from '../command.ts';
import { inWords } from '../in-words.ts';

/** `hearth migrate` */
export const command = defineCommand({
  about: 'Brings the database up to date and stops. `hearth serve` does the same when it starts.',
  examples: ['hearth migrate', 'DATABASE_URL=postgres://hearth@db/hearth hearth migrate'],
  flags: {},
  async run({ config }) {
    const { migrateDatabase } = await import('../migrate-database.ts');
    const applied = await migrateDatabase(config).catch(inWords(config));
    console.log([...applied.map((name) => `applied ${name}`), 'The database is up to date.'].join('\n'));
    return 0;
  },
});
