import type { DatabaseOptions } from '../database.ts';
import type { Load } from './shapes.ts';
import { openSqliteLoad } from './sqlite-load.ts';

export async function openLoad({ url, file }: DatabaseOptions): Promise<Load> {
  if (url) {
    const { openPostgresLoad } = await import('./postgres-load.ts');
    return openPostgresLoad(url);
  }
  if (file) return openSqliteLoad(file);
  throw new Error('openLoad needs a url or a file');
}
