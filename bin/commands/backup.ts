import { resolve } from 'node:path';
import { integer, text } from '../../src/config/setting.ts';
import { requireFlags } from '../accounts.ts';
import { defineCommand } from '../command.ts';
import { withReadableErrors } from '../startup-errors.ts';

/** `hearth backup` */
export const command = defineCommand({
  about:
    'Backs up database, repositories, files and keys into a new directory, even while the server runs. Files that have\n' +
    'not changed since the last backup take no extra space. A backup contains the keys that decrypt secrets: protect it\n' +
    'like the server itself.',
  examples: ['hearth backup --to /srv/backups', 'hearth backup --to /srv/backups --keep 14'],
  flags: {
    to: text(undefined, undefined, 'Directory for backups; each gets its own subdirectory.'),
    keep: integer(undefined, undefined, 'How many to keep; older ones are removed. All by default.', [1, 100_000]),
  },
  async run({ config, flags }) {
    const { to } = requireFlags({ to: flags.to });
    const { databaseOptions } = await import('../../src/open-services.ts');
    const { takeBackup } = await import('../../src/instance/backups/public.ts');
    const source = { data: resolve(config.data), database: databaseOptions(config) };
    const { folder, manifest, removed } = await takeBackup(source, resolve(to), flags.keep).catch(
      withReadableErrors(config),
    );
    const rows = manifest.tables.reduce((sum, table) => sum + table.rows, 0);
    console.log(`${folder}: ${rows} rows, ${manifest.repositories} repositories, ${manifest.files} files`);
    if (config.s3Bucket !== undefined) console.log(`It does not contain the files in the bucket ${config.s3Bucket}.`);
    for (const old of removed) console.log(`removed ${old}`);
    return 0;
  },
});
