import type { Entity } from '../frame/api.ts';
import { badge, count, label, relativeTime } from '../frame/format.ts';
import { type Html, html } from '../frame/html.ts';
import { withQuery } from '../frame/paging.ts';
import type { Visit } from '../frame/visit.ts';
import { userLink } from './discussion.ts';

/** Converts a URL from the API to a path on this server. */
export const pathOf = (address: string, base: string) => `${base}${new URL(address).pathname.replace(base, '')}`;

/** URL of the current list with an added filter; undefined on pages without filters. */
function narrowed(visit: Visit, filter: Readonly<Record<string, string>>): string | undefined {
  if (!/\/(?:issues|merge_requests|epics)$/.test(visit.path)) return undefined;
  return withQuery(visit, { ...filter, page: undefined });
}

/** Labels in a list, linked to the list filtered by them. Some lists do not include colours. */
export const listedLabels = (visit: Visit, labels: readonly (string | Entity)[] = []): Html[] =>
  labels
    .map((one): Entity => (typeof one === 'string' ? { name: one, color: '#888888' } : one))
    .map(({ name, color }) => label(name, color, narrowed(visit, { label_name: name })));

/** Author in a list, linked to the list filtered by them. */
export function listedAuthor(visit: Visit, author: Entity): Html {
  const href = author && narrowed(visit, { author_username: author.username });
  return href === undefined ? userLink(visit, author) : html`<a href="${href}">${author.name}</a>`;
}

function listedMilestone(visit: Visit, { title }: Entity): Html {
  const href = narrowed(visit, { milestone_title: title });
  return href === undefined ? html` · ${title}` : html` · <a href="${href}">${title}</a>`;
}

/** An item with title, state and labels in a list. */
export function workItem(visit: Visit, item: Entity): Html {
  const labels = listedLabels(visit, item.labels);
  return html`<li><div class="row"><a class="main" href="${pathOf(item.web_url, visit.base)}"><strong>${item.title}</strong></a>${item.confidential && badge('confidential')}${item.draft && badge('draft')}${labels}<span class="end">${badge(item.state)}</span></div><p class="muted">${item.references?.relative ?? item.references?.full} · ${listedAuthor(visit, item.author)} ${relativeTime(item.created_at)} · ${count(item.user_notes_count ?? 0, 'comment')}${item.milestone && listedMilestone(visit, item.milestone)}</p></li>`;
}

/** Progress bar. */
export function progress(all: number, closed: number): Html {
  return html`<p><progress max="${Math.max(all, 1)}" value="${closed}">${closed}</progress> ${closed} of ${count(all, 'issue')} closed</p>`;
}
