import type { Services } from '../../../access/services.ts';
import { notedCommits } from '../../../planning/commit-notes/public.ts';
import { issuesById, stateOf } from '../../../planning/issues/public.ts';
import { labelsById } from '../../../planning/labels/public.ts';
import type { Reader } from '../../../platform/database/database.ts';
import { requestsById, stateOfRequest } from '../../../review/merge-requests/public.ts';
import { issuePart } from './issue.ts';
import { requestPart } from './merge-request.ts';
import { type Located, webUrl } from './parts.ts';
import { commitPart } from './push.ts';

/** What a comment or a reaction is about: its attributes under its own name, and the address of its page. */
export async function noteablePart(
  services: Services,
  db: Reader,
  located: Located,
  type: string,
  id: number | null,
): Promise<{ readonly part: object; readonly url: string }> {
  const url = webUrl(services, located);
  if (type === 'Issue' && id !== null) {
    const issue = (await issuesById(db, [id])).get(id);
    if (!issue) return { part: {}, url };
    const state = await stateOf(db, issue);
    const labels = await labelsById(db, state.labelIds);
    return { part: { issue: issuePart(services, located, state, labels) }, url: `${url}/-/issues/${issue.iid}` };
  }
  if (type === 'MergeRequest' && id !== null) {
    const request = (await requestsById(db, [id])).get(id);
    if (!request) return { part: {}, url };
    const { attributes } = await requestPart(services, db, located, await stateOfRequest(db, request));
    return { part: { merge_request: attributes }, url: attributes.url };
  }
  if (type === 'Snippet' && id !== null) return { part: {}, url: `${url}/-/snippets/${id}` };
  if (type === 'Commit' && id !== null) {
    const [noted] = await notedCommits(db, [id]);
    const commit = noted && (await services.git.objects(services.git.repository(noted.project_id)).commit(noted.sha));
    return commit
      ? { part: { commit: commitPart(commit, url) }, url: `${url}/-/commit/${commit.oid}` }
      : { part: {}, url };
  }
  return { part: {}, url };
}
