import { fields, importUploadsFrom, renameUploads } from '../project-archives/public.ts';
import type { GroupRun } from './run.ts';

/** Imports uploaded files; texts are updated with their new URLs. */
export async function importUploads(run: GroupRun): Promise<void> {
  const { services, userId, signal } = run;
  const owner = { project_id: null, namespace_id: (await run.group()).id };
  const folder = await run.uploads();
  if (folder !== undefined)
    await importUploadsFrom({ services, owner, userId, signal, secretOf: run.secretOf }, folder);
}

/** A text of the group, with the URLs of imported uploads. */
export function textIn({ secretOf }: GroupRun, value: unknown): string | null {
  const text = fields.textOf(value);
  return text === null ? null : renameUploads(text, secretOf);
}
