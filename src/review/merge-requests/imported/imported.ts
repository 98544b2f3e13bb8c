import type { Services } from '../../../access/services.ts';
import { collectVersion, type VersionContent } from '../versions/collect.ts';

export { addImportedRule } from './rules.ts';
export * from './store.ts';

/**
 * Collects the version of an imported merge request from the commit IDs of the source; undefined if one of them is
 * missing.
 */
export async function collectImported(
  services: Services,
  projectId: number,
  { head, start }: { readonly head: string; readonly start: string },
): Promise<VersionContent | undefined> {
  const objects = services.git.objects(services.git.repository(projectId));
  const known = await Promise.all([objects.commit(head), objects.commit(start)]);
  if (known.includes(null)) return undefined;
  const branches = { project_id: projectId, source_project_id: projectId, source_branch: '', target_branch: '' };
  return collectVersion(services, branches, { source: head, target: start });
}
