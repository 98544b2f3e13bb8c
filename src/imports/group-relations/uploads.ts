import { fields, keepUploads, renameUploads } from '../project-archives/public.ts';
import type { GroupRun } from './run.ts';

/** Files that texts show; the texts are told of their new addresses. */
export async function importUploads(run: GroupRun): Promise<void> {
  const { services, userId, signal } = run;
  const owner = { project_id: null, namespace_id: (await run.group()).id };
  const folder = await run.uploads();
  if (folder !== undefined) await keepUploads({ services, owner, userId, signal, secretOf: run.secretOf }, folder);
}

/** A text of the group, which shows the files that came with it. */
export function textIn({ secretOf }: GroupRun, sent: unknown): string | null {
  const text = fields.textOf(sent);
  return text === null ? null : renameUploads(text, secretOf);
}
