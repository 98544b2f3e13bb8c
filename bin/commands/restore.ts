import { resolve } from 'node:path';
import { text } from '../../src/config/setting.ts';
import { requireFlags } from '../accounts.ts';
import { defineCommand } from '../command.ts';
import { withReadableErrors } from '../startup-errors.ts';

/** `hearth restore` */
export const command = defineCommand({
  about:
    'Restores a backup into an empty data directory and an empty database. The backup may come from the other kind of\n' +
    'database: this is how to move from SQLite to PostgreSQL.',
  examples: [
    'hearth restore --from /srv/backups --data /srv/hearth',
    'DATABASE_URL=postgres://hearth@db/hearth hearth restore --from /srv/backups/2026-11-16T020000Z --data /srv/hearth',
  ],
  flags: {
    from: text(undefined, undefined, 'A backup, or a directory of backups: then the newest.'),
  },
  async run({ config, flags }) {
    const { from } = requireFlags({ from: flags.from });
    const { databaseOptions } = await import('../../src/open-services.ts');
    const { migrations } = await import('../../src/migrations/list.ts');
    const { restoreBackup } = await import('../../src/instance/backups/public.ts');
    const data = resolve(config.data);
    const target = { data, database: databaseOptions({ ...config, data }), migrations };
    const { folder, manifest } = await restoreBackup(resolve(from), target).catch(withReadableErrors(config));
    console.log(`Restored ${folder}, taken at ${manifest.takenAt}. Start the server on ${data} as usual.`);
    return 0;
  },
});
