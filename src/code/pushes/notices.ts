import type { Services } from '../../access/services.ts';
import { type ProjectSubject, settingsOf } from '../../access/subjects.ts';
import type { Push } from './push.ts';

/** So many branches of a push are given a hint; more would hide what git itself says. */
const hinted = 3;

/** What is shown to somebody who has pushed by git: the way to the merge request of each branch, or to a new one. */
export async function noticesOf(services: Services, subject: ProjectSubject, push: Push): Promise<string[]> {
  const wanted = settingsOf(subject.project).printing_merge_request_link_enabled !== false;
  if (!wanted || !subject.can('read_merge_request')) return [];
  const branches = push.refs.filter(
    (ref) => ref.kind === 'branch' && ref.action !== 'removed' && ref.name !== subject.project.default_branch,
  );
  if (push.first || branches.length > hinted) return [];
  const blocks = await Promise.all(branches.map(({ name }) => hint(services, subject, name)));
  return blocks.flat();
}

async function hint(services: Services, subject: ProjectSubject, branch: string): Promise<string[]> {
  const asked = services
    .contributed('pushes.openMergeRequest')
    .map((find) => find(services, subject.project.id, branch));
  const open = (await Promise.all(asked)).find((address) => address !== undefined);
  if (open !== undefined) return ['', `View merge request for ${branch}:`, `  ${open}`, ''];
  const query = new URLSearchParams({ 'merge_request[source_branch]': branch });
  const url = `${services.externalUrl}/${subject.fullPath}/-/merge_requests/new?${query}`;
  return ['', `To create a merge request for ${branch}, visit:`, `  ${url}`, ''];
}
