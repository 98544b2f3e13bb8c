import { existsSync } from 'node:fs';
import { sql } from 'kysely';
import type { Config } from '../../src/config/config.ts';
import { lostData, lostDatabase } from '../../src/instance/first-start/public.ts';
import { migrations } from '../../src/migrations/list.ts';
import { databaseOptions } from '../../src/open-services.ts';
import { type Database, openDatabase } from '../../src/platform/database/database.ts';
import { pendingMigrations } from '../../src/platform/database/migrator.ts';
import { restoreTrouble } from '../../src/platform/machine.ts';
import type { Witness } from './clock.ts';
import { type Finding, failed, ok, reason } from './finding.ts';

/** The state of the database, and the time of its clock. */
export interface DatabaseReport {
  finding: Finding;
  witnesses: Witness[];
}

const restore = 'Restore the backup that has both: the data directory and its database.';

/** The database must open, be intact, and belong to this version or an earlier one. Nothing is changed. */
export async function checkDatabase(config: Config): Promise<DatabaseReport> {
  const unfinished = await restoreTrouble(config.data);
  if (unfinished) return { finding: failed('database', unfinished.reason, unfinished.advice), witnesses: [] };
  const place = databaseOptions(config);
  // Opening a missing file would create it.
  if (place.file !== undefined && !existsSync(place.file)) {
    const lost = await lostDatabase(config.data);
    const finding = lost
      ? failed('database', lost, restore)
      : ok('database', `${place.file} will be created at the first start`);
    return { finding, witnesses: [] };
  }
  try {
    const db = await openDatabase({ ...place, poolSize: 1 });
    try {
      return { finding: await judge(db, config), witnesses: await clockOf(db) };
    } finally {
      await db.close();
    }
  } catch (error) {
    return { finding: failed('database', reason(error), adviceFor(config)), witnesses: [] };
  }
}

async function judge(db: Database, config: Config): Promise<Finding> {
  const damage = db.engine === 'sqlite' ? await damageOf(db) : [];
  if (damage.length > 0) return failed('database', damage.join('; '), 'Restore the last backup.');
  const pending = await pendingMigrations(db, migrations);
  const lost = pending.length === 0 ? await lostData(db.read, config.data) : undefined;
  if (lost) return failed('database', lost, restore);
  const state = pending.length === 0 ? 'up to date' : `${pending.length} migrations to apply at the next start`;
  return ok('database', `${db.engine}, ${state}${config.databaseUrl ? '' : `, ${databaseOptions(config).file}`}`);
}

async function damageOf(db: Database): Promise<string[]> {
  const { rows } = await sql<{ quick_check: string }>`pragma quick_check(5)`.execute(db.read);
  return rows.map((row) => row.quick_check).filter((line) => line !== 'ok');
}

async function clockOf(db: Database): Promise<Witness[]> {
  if (db.engine === 'sqlite') return [];
  const { rows } = await sql<{ now: number }>`
    select cast(extract(epoch from clock_timestamp()) * 1000 as double precision) as now`.execute(db.read);
  return rows.map(({ now }) => ({ name: 'the clock of the database', at: new Date(now), kind: 'clock' }));
}

function adviceFor(config: Config): string {
  if (config.databaseUrl !== undefined) return 'Check DATABASE_URL, and that the database runs and lets this user in.';
  return `Check the owner of ${config.data}; if the file is damaged, restore the last backup.`;
}
