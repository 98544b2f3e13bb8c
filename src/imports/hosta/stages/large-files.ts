import { importLfsObjects } from '../../content/public.ts';
import type { ImportRun } from '../../project-imports/public.ts';
import { contextOf } from './context.ts';

export async function importLargeFiles(run: ImportRun): Promise<void> {
  const { options } = contextOf(run);
  await importLfsObjects(run, options.cloneUrl, { username: options.token, password: '' });
}
