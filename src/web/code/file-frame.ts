import { encodePath } from '../frame/addresses.ts';
import type { Entity } from '../frame/api.ts';
import { relativeTime } from '../frame/format.ts';
import { type Html, html } from '../frame/html.ts';
import type { ProjectContext } from '../namespaces/project.ts';
import type { PathAtRef } from './ref.ts';
import { type RefView, refMenu } from './ref-menu.ts';

/**
 * Breadcrumb links to a directory or file. In a `view` that exists for other refs as well, includes the ref selector.
 */
export function pathLinks(context: ProjectContext, at: PathAtRef, view?: RefView): Html {
  const { home, project } = context;
  const { ref, path } = at;
  const parts = path === '' ? [] : path.split('/');
  const link = (end: number) => `${home}/-/tree/${encodePath([ref, ...parts.slice(0, end)].join('/'))}`;
  const last = parts.length - 1;
  return html`<div class="path"${path !== '' && html` data-copy-last="${path}"`}><a href="${link(0)}">${project.path}</a>${parts.map((part, at) => html` / ${at === last ? html`<strong>${part}</strong>` : html`<a href="${link(at + 1)}">${part}</a>`}`)} <span class="muted">at</span> ${view ? refMenu(context, at, view) : html`<code>${ref}</code>`}</div>`;
}

/** A commit in one line. */
export function commitLine({ home }: Pick<ProjectContext, 'home'>, commit: Entity): Html {
  return html`<div class="row"><a class="main" href="${home}/-/commit/${commit.id}"><strong>${commit.title}</strong></a><span class="end muted">${commit.author_name} · ${relativeTime(commit.committed_date)} · <a class="sha" href="${home}/-/commit/${commit.id}">${commit.short_id}</a></span></div>`;
}
