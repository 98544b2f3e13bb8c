import { encodePath } from '../frame/addresses.ts';
import type { Entity } from '../frame/api.ts';
import { badge, relativeTime } from '../frame/format.ts';
import { type Html, html } from '../frame/html.ts';
import type { ProjectContext } from '../namespaces/project.ts';
import { actionButton, userLink } from '../planning/discussion.ts';

const views = [
  ['', 'Overview'],
  ['/commits', 'Commits'],
  ['/pipelines', 'Pipelines'],
  ['/diffs', 'Changes'],
] as const;

export type View = (typeof views)[number][0];

/** The header of all merge request views. */
export function header({ visit, home }: ProjectContext, request: Entity, view: View): Html {
  const page = `${home}/-/merge_requests/${request.iid}`;
  const tabs = views.map(([path, name]) => {
    const text = path === '/diffs' ? `${name} ${request.changes_count ?? ''}` : name;
    return path === view
      ? html`<a href="${page}${path}" aria-current="page"><strong>${text}</strong></a>`
      : html`<a href="${page}${path}">${text}</a>`;
  });
  const pipeline =
    request.head_pipeline &&
    html` · <a href="${home}/-/pipelines/${request.head_pipeline.id}">Pipeline</a> ${badge(request.head_pipeline.status)}${request.head_pipeline.coverage && html` · coverage ${request.head_pipeline.coverage}%`}`;
  const buttons =
    visit.user &&
    html`<span class="end row"><a class="button" href="${page}/edit">Edit</a>${request.state === 'opened' && actionButton(visit, `${page}/draft`, request.draft ? 'Mark as ready' : 'Mark as draft')}${typeof request.subscribed === 'boolean' && actionButton(visit, `${page}/${request.subscribed ? 'unsubscribe' : 'subscribe'}`, request.subscribed ? 'Unsubscribe' : 'Subscribe')}${actionButton(visit, `${page}/todo`, 'Add to-do')}</span>`;
  const branch = (name: string) => html`<a href="${home}/-/tree/${encodePath(name)}"><code>${name}</code></a>`;
  const source =
    request.source_project_id === request.target_project_id
      ? html`<span data-branch data-copy="${request.source_branch}">${branch(request.source_branch)}</span>`
      : html`<code data-branch data-copy="${request.source_branch}">${request.source_branch}</code> of a fork`;
  return html`<div class="row"><h1>${request.title}</h1>${badge(request.state)}${request.draft && badge('draft')}${request.discussion_locked && badge('locked')}${buttons}</div><p class="muted">!${request.iid} · ${userLink(visit, request.author)} wants to merge ${source} into ${branch(request.target_branch)} · ${relativeTime(request.created_at)}${pipeline}</p><nav class="row views" aria-label="Views">${tabs}</nav>`;
}
