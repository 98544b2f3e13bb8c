import type { DatabaseOptions } from '../database.ts';
import type { Snapshot } from './shapes.ts';
import { openSqliteSnapshot } from './sqlite-snapshot.ts';

export async function openSnapshot({ url, file }: DatabaseOptions): Promise<Snapshot> {
  if (url) {
    const { openPostgresSnapshot } = await import('./postgres-snapshot.ts');
    return openPostgresSnapshot(url);
  }
  if (file) return openSqliteSnapshot(file);
  throw new Error('openSnapshot needs a url or a file');
}
