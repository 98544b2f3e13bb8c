import type { Entity } from '../frame/api.ts';
import { badge, count, label, moment } from '../frame/format.ts';
import { type Html, html } from '../frame/html.ts';
import type { Visit } from '../frame/visit.ts';
import { person } from './discussion.ts';

/** The path of an address that the API gave, as a link of this server. */
export const pathOf = (address: string, base: string) => `${base}${new URL(address).pathname.replace(base, '')}`;

/** Something with a title, a state and labels, in a list. */
export function workItem(visit: Visit, item: Entity): Html {
  const labels = (item.labels ?? []).map((one: Entity) =>
    typeof one === 'string' ? label(one, '#888888') : label(one.name, one.color),
  );
  return html`<li><div class="row"><a class="main" href="${pathOf(item.web_url, visit.base)}"><strong>${item.title}</strong></a>${item.confidential && badge('confidential')}${item.draft && badge('draft')}${labels}<span class="end">${badge(item.state)}</span></div><p class="muted">${item.references?.relative ?? item.references?.full} · ${person(visit, item.author)} ${moment(item.created_at)} · ${count(item.user_notes_count ?? 0, 'comment')}${item.milestone && html` · ${item.milestone.title}`}</p></li>`;
}

/** How much of it is done, as a bar. */
export function progress(all: number, closed: number): Html {
  return html`<p><progress max="${Math.max(all, 1)}" value="${closed}">${closed}</progress> ${closed} of ${count(all, 'issue')} closed</p>`;
}
