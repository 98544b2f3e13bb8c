import type { Services } from '../../../access/services.ts';
import { encodePath } from '../../../code/repository/public.ts';
import { notedCommits } from '../../../planning/commit-notes/public.ts';
import { issuesById, stateOf } from '../../../planning/issues/public.ts';
import { labelsById } from '../../../planning/labels/public.ts';
import { findSnippet, firstFile, type SnippetRow } from '../../../planning/snippets/public.ts';
import { pageOfPlace } from '../../../planning/wikis/public.ts';
import type { Reader } from '../../../platform/database/database.ts';
import { requestsById, stateOfRequest } from '../../../review/merge-requests/public.ts';
import { issuePart } from './issue.ts';
import { approvalRulesPart, requestPart } from './merge-request.ts';
import { type ProjectWithNamespace, utcText, webUrl } from './parts.ts';
import { commitPart } from './push.ts';

/** The content of a longer file is left out. */
const longestContent = 1_048_576;

async function snippetPart(services: Services, projectUrl: string, snippet: SnippetRow) {
  const file = await firstFile(services, snippet, longestContent);
  return {
    id: snippet.id,
    title: snippet.title,
    description: snippet.description,
    content: file.content,
    author_id: snippet.author_id,
    project_id: snippet.project_id,
    created_at: utcText(snippet.created_at),
    updated_at: utcText(snippet.updated_at),
    file_name: file.name,
    type: snippet.project_id === null ? 'PersonalSnippet' : 'ProjectSnippet',
    visibility_level: snippet.visibility,
    url: `${projectUrl}/-/snippets/${snippet.id}`,
  };
}

/** Returns the attributes of a noteable under its payload key, and the URL of its page. */
export async function noteablePart(
  services: Services,
  db: Reader,
  located: ProjectWithNamespace,
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
    const state = await stateOfRequest(db, request);
    const { attributes } = await requestPart(services, db, located, state);
    const approval_rules = await approvalRulesPart(services, db, state);
    return { part: { merge_request: { ...attributes, approval_rules } }, url: attributes.url };
  }
  if (type === 'Snippet' && id !== null) {
    const snippet = await findSnippet(db, id);
    return {
      part: snippet ? { snippet: await snippetPart(services, url, snippet) } : {},
      url: `${url}/-/snippets/${id}`,
    };
  }
  if (type === 'WikiPage::Meta' && id !== null) {
    const page = await pageOfPlace(db, { project_id: located.project.id, namespace_id: null }, id);
    return { part: {}, url: page ? `${url}/-/wikis/${encodePath(page.slug)}` : url };
  }
  if (type === 'Commit' && id !== null) {
    const [noted] = await notedCommits(db, [id]);
    const commit = noted && (await services.git.objects(services.git.repository(noted.project_id)).commit(noted.sha));
    return commit
      ? { part: { commit: commitPart(commit, url) }, url: `${url}/-/commit/${commit.oid}` }
      : { part: {}, url };
  }
  return { part: {}, url };
}
