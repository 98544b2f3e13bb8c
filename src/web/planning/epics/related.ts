import { type Entity, refusalOf } from '../../frame/api.ts';
import { type Html, nothing } from '../../frame/html.ts';
import type { Outcome, Page } from '../../frame/visit.ts';
import { type GroupContext, groupPage } from '../../namespaces/group.ts';
import { readReference } from '../reference.ts';
import { drawLinks, linkForm } from '../related.ts';
import { epicPlace, mayLinkEpics } from './epic.ts';

const noun = 'epic';

/** Lists related epics. */
export async function relatedEpics(context: GroupContext): Promise<Html> {
  const { visit } = context;
  const { url, page } = epicPlace(context);
  const links: readonly Entity[] = await visit.api.get(`${url}/related_epics`);
  const mayLink = mayLinkEpics(context);
  if (links.length === 0 && !mayLink) return nothing;
  return drawLinks(visit, page, { noun, links, numberOf: (link) => link.related_epic_link_id, mayLink });
}

export function relateForm(context: GroupContext, problem?: string): Html | false {
  const written = '&5, group&5 or a URL';
  return mayLinkEpics(context) && linkForm(context.visit, epicPlace(context).page, { noun, written, problem });
}

const unknown = 'The epic does not exist, or you do not have access to it.';

type Again = (context: GroupContext, problem: string) => Promise<Outcome>;

async function relate(context: GroupContext, again: Again): Promise<Outcome> {
  const { visit, group } = context;
  const { url, page } = epicPlace(context);
  const here = { here: group.full_path, origin: visit.services.externalUrl };
  const target = readReference(visit.form.get('target') ?? '', '&', here);
  if (!target) return again(context, 'Enter an epic as &5, group&5, or a URL.');
  const answer = await visit.api.ask('POST', `${url}/related_epics`, {
    target_group_id: target.path ?? String(group.id),
    target_epic_iid: target.iid,
    link_type: visit.form.get('link_type'),
  });
  if (answer.status === 404) return again(context, unknown);
  if ([400, 403, 409, 422].includes(answer.status)) return again(context, refusalOf(answer).reason);
  if (answer.status >= 300) throw refusalOf(answer);
  return { redirect: `${page}#links` };
}

async function unrelate(context: GroupContext): Promise<Outcome> {
  const { url, page } = epicPlace(context);
  const { api, form } = context.visit;
  await api.send('DELETE', `${url}/related_epics/${encodeURIComponent(form.get('link') ?? '')}`);
  return { redirect: `${page}#links` };
}

export const relatedPages = (path: string, again: Again): Page[] => [
  groupPage({ method: 'POST', path: `${path}/links`, show: (context) => relate(context, again) }),
  groupPage({ method: 'POST', path: `${path}/links/remove`, show: unrelate }),
];
