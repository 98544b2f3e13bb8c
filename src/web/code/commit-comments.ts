import { normalizeLineEndings } from '../forms/fields.ts';
import { type Html, html } from '../frame/html.ts';
import { csrfField } from '../frame/layout.ts';
import type { Outcome, Page } from '../frame/visit.ts';
import { type ProjectContext, projectPage } from '../namespaces/project.ts';
import { commandNotice, type NoteablePaths } from '../planning/comment.ts';
import { threadPages } from '../planning/discussion-pages.ts';
import { discussion, threadsOnPage } from '../planning/threads.ts';

const path = '/:project/-/commit/:sha';

/** The query parameter with the page of the discussion; `page` is that of the changed files. */
const pageName = 'comments';

const pathsOf = ({ visit, api, home }: ProjectContext, sha = visit.params.sha ?? ''): NoteablePaths => ({
  url: `${api}/repository/commits/${encodeURIComponent(sha)}`,
  page: `${home}/-/commit/${encodeURIComponent(sha)}`,
});

/** The comments on a commit, and the form for another one. */
export async function commitDiscussion(context: ProjectContext, sha: string): Promise<Html> {
  const { visit, project } = context;
  const paths = pathsOf(context, sha);
  const talk = { ...paths, place: project.path_with_namespace, inThreads: true } as const;
  return html`${await discussion(visit, talk, pageName)}${commentForm(context, paths.page)}`;
}

function commentForm({ visit, project }: ProjectContext, page: string): Html | false {
  if (project.archived) return false;
  if (!visit.user) {
    return html`<p><a href="${visit.base}/users/sign_in?redirect=${encodeURIComponent(visit.address)}">Sign in</a> to comment.</p>`;
  }
  return html`<form class="card" method="post" action="${page}/comments">${csrfField(visit)}<label>Comment<textarea name="note" data-markdown required></textarea></label><div class="row"><button class="primary">Comment</button></div></form>`;
}

async function comment(context: ProjectContext): Promise<Outcome> {
  const { visit } = context;
  const { url, page } = pathsOf(context);
  const body = normalizeLineEndings(visit.form.get('note') ?? '');
  const created = await visit.api.send('POST', `${url}/discussions`, { body });
  const note = created.notes?.[0];
  if (!note) return { redirect: page, ...commandNotice(created) };
  const { headers } = await visit.api.page(`${url}/discussions`, { per_page: 1 });
  const last = Math.ceil(Number(headers['x-total'] ?? 0) / threadsOnPage);
  return { redirect: `${last > 1 ? `${page}?${pageName}=${last}` : page}#note_${note.id}` };
}

export const commitCommentPages: readonly Page[] = [
  projectPage({ method: 'POST', path: `${path}/comments`, show: comment }),
  ...threadPages(path, projectPage, (context) => pathsOf(context)),
];
