import type { Entity } from '../../frame/api.ts';
import { badge, relativeTime } from '../../frame/format.ts';
import { type Html, html } from '../../frame/html.ts';
import type { Visit } from '../../frame/visit.ts';
import type { GroupContext } from '../../namespaces/group.ts';
import { listedAuthor, listedLabels, pathOf } from '../work-item.ts';

/** Permissions by access level: editing epics, adding children, deleting. */
export const mayEditEpics = ({ role }: GroupContext) => role >= 15;
export const mayLinkEpics = ({ role }: GroupContext) => role >= 10;
export const mayDelete = ({ role }: GroupContext) => role === 15 || role >= 50;

/** API path and page URL of an epic; its notes use its ID instead of its IID. */
export const epicPlace = ({ visit, api, home }: GroupContext) => ({
  url: `${api}/epics/${visit.params.iid}`,
  page: `${home}/-/epics/${visit.params.iid}`,
});

export const epicOf = (context: GroupContext): Promise<Entity> => context.visit.api.get(epicPlace(context).url);

export async function epicNoteable(context: GroupContext): Promise<{ url: string; page: string }> {
  const { id } = await epicOf(context);
  return { url: `${context.api}/epics/${id}`, page: epicPlace(context).page };
}

/** Start and due date in words. */
export function datesOf({ start_date: from, due_date: to }: Entity): string {
  if (from && to) return `${from} to ${to}`;
  if (from) return `from ${from}`;
  return to ? `until ${to}` : '';
}

/** An epic in a list. */
export function epicItem(visit: Visit, epic: Entity): Html {
  const dates = datesOf(epic);
  return html`<li><div class="row"><a class="main" href="${pathOf(epic.web_url, visit.base)}"><strong>${epic.title}</strong></a>${epic.confidential && badge('confidential')}${listedLabels(visit, epic.labels)}<span class="end">${badge(epic.state)}</span></div><p class="muted">${epic.references?.relative} · ${listedAuthor(visit, epic.author)} ${relativeTime(epic.created_at)}${dates !== '' && ` · ${dates}`}</p></li>`;
}
