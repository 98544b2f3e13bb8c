import { alert } from '../forms/card.ts';
import { type Entity, refusalOf } from '../frame/api.ts';
import { badge, count } from '../frame/format.ts';
import { type Html, html, nothing } from '../frame/html.ts';
import { csrfField } from '../frame/layout.ts';
import type { Outcome, Visit } from '../frame/visit.ts';
import type { ProjectContext } from '../namespaces/project.ts';
import { roleInProject } from '../namespaces/roles.ts';
import { actionButton } from './discussion.ts';
import { noteablePaths } from './kind.ts';
import { readReference } from './reference.ts';
import { pathOf } from './work-item.ts';

const most = 100;

const kinds = [
  ['blocks', 'Blocks'],
  ['is_blocked_by', 'Is blocked by'],
  ['relates_to', 'Relates to'],
] as const;

/** A related item in one line. */
export function relatedItem(visit: Visit, item: Entity, mark?: Html | false, button?: Html | false): Html {
  return html`<li class="row"><a class="main" href="${pathOf(item.web_url, visit.base)}">${item.title}</a><span class="muted">${item.references?.relative}</span>${item.confidential && badge('confidential')}${mark}<span class="end row">${badge(item.state)}${button}</span></li>`;
}

/** Linked items of one kind. */
interface Linked {
  readonly noun: 'issue' | 'epic';
  readonly links: readonly Entity[];
  /** ID of a link in the API. */
  readonly numberOf: (link: Entity) => number;
  readonly mayLink: boolean;
}

/** Lists links by type. */
export function drawLinks(visit: Visit, page: string, { noun, links, numberOf, mayLink }: Linked): Html {
  const remove = (link: Entity) =>
    mayLink &&
    actionButton(
      visit,
      `${page}/links/remove`,
      'Remove',
      { link: String(numberOf(link)) },
      { label: `Remove the link to ${link.references.relative}` },
    );
  const shown = links.slice(0, most);
  const group = ([type, text]: (typeof kinds)[number]) => {
    const found = shown.filter(({ link_type }) => link_type === type);
    return (
      found.length > 0 &&
      html`<h3>${text}</h3><ul class="list">${found.map((one) => relatedItem(visit, one, false, remove(one)))}</ul>`
    );
  };
  const more = links.length > most && html`<p class="muted">and ${count(links.length - most, `more ${noun}`)}</p>`;
  return html`<h2>Linked ${noun}s</h2>${kinds.map(group)}${more}`;
}

/** The form that adds a link, with the previous error. */
export function linkForm(
  visit: Visit,
  page: string,
  { noun, written, problem }: Pick<Linked, 'noun'> & { readonly written: string; readonly problem: string | undefined },
): Html {
  const failed = problem !== undefined && visit.form.get('part') === 'link';
  const chosen = failed ? visit.form.get('link_type') : 'relates_to';
  const option = ([value, text]: (typeof kinds)[number]) =>
    html`<option value="${value}"${value === chosen && html` selected`}>${text}</option>`;
  const title = noun === 'epic' ? 'Epic' : 'Issue';
  return html`<details${failed && html` open`}><summary>Link an ${noun}</summary>${failed && alert(problem)}<form class="filters" method="post" action="${page}/links">${csrfField(visit)}<input type="hidden" name="part" value="link"><label>This ${noun}<select name="link_type">${kinds.map(option)}</select></label><label>${title}<input name="target" required placeholder="${written}" value="${failed ? visit.form.get('target') : ''}"></label><button>Link</button></form></details>`;
}

/** Linked issues. */
async function linked(context: ProjectContext, issue: Entity, problem?: string): Promise<Html> {
  const { visit, api, home, project } = context;
  const page = `${home}/-/issues/${issue.iid}`;
  const links: readonly Entity[] = (await visit.api.maybe(`${api}/issues/${issue.iid}/links`)) ?? [];
  const mayLink = !project.archived && roleInProject(visit, project) >= 10;
  if (links.length === 0 && !mayLink) return nothing;
  const drawn = drawLinks(visit, page, { noun: 'issue', links, numberOf: (link) => link.issue_link_id, mayLink });
  const form = mayLink && linkForm(visit, page, { noun: 'issue', written: '#5, project#5 or a URL', problem });
  return html`<section id="links" class="related">${drawn}${form}</section>`;
}

/** Lists mentions; those that close the other item are marked. */
async function mentions(
  context: ProjectContext,
  title: string,
  {
    mentioned,
    closing,
    linkLabel,
  }: { readonly mentioned: string; readonly closing: string; readonly linkLabel: string },
): Promise<Html> {
  const { visit } = context;
  const [all, closed] = await Promise.all(
    [mentioned, closing].map(
      async (url): Promise<readonly Entity[]> => (await visit.api.maybe(url, { per_page: most })) ?? [],
    ),
  );
  const closes = new Set(closed?.map(({ id }) => id));
  const items = [...(closed ?? []), ...(all ?? []).filter(({ id }) => !closes.has(id))].slice(0, most);
  if (items.length === 0) return nothing;
  const draw = (one: Entity) =>
    relatedItem(visit, one, closes.has(one.id) && html`<span class="muted">${linkLabel}</span>`);
  return html`<section class="related"><h2>${title}</h2><ul class="list">${items.map(draw)}</ul></section>`;
}

const requestsOf = (context: ProjectContext, { iid }: Entity) =>
  mentions(context, 'Merge requests', {
    mentioned: `${context.api}/issues/${iid}/related_merge_requests`,
    closing: `${context.api}/issues/${iid}/closed_by`,
    linkLabel: 'closes this issue',
  });

/** Issues that a merge request closes or mentions. */
export const issuesOf = (context: ProjectContext, { iid, state }: Entity) =>
  mentions(context, 'Issues', {
    mentioned: `${context.api}/merge_requests/${iid}/related_issues`,
    closing: `${context.api}/merge_requests/${iid}/closes_issues`,
    linkLabel: state === 'merged' ? 'closed by it' : 'closed when it is merged',
  });

export async function related(context: ProjectContext, issue: Entity, problem?: string): Promise<Html> {
  const [links, requests] = await Promise.all([linked(context, issue, problem), requestsOf(context, issue)]);
  return html`${links}${requests}`;
}

const unknown = 'The issue does not exist, or you do not have access to it.';

export async function addLink(context: ProjectContext, again: (problem: string) => Promise<Outcome>): Promise<Outcome> {
  const { visit, project } = context;
  const { url, page } = noteablePaths(context, 'issues');
  const here = { here: project.path_with_namespace, origin: visit.services.externalUrl };
  const target = readReference(visit.form.get('target') ?? '', '#', here);
  if (!target) return again('Enter an issue as #5, project#5, group/project#5, or a URL.');
  const answer = await visit.api.ask('POST', `${url}/links`, {
    target_project_id: target.path ?? String(project.id),
    target_issue_iid: target.iid,
    link_type: visit.form.get('link_type'),
  });
  if (answer.status === 404) return again(unknown);
  if ([400, 403, 409, 422].includes(answer.status)) return again(refusalOf(answer).reason);
  if (answer.status >= 300) throw refusalOf(answer);
  return { redirect: `${page}#links` };
}

export async function removeLink(context: ProjectContext): Promise<Outcome> {
  const { url, page } = noteablePaths(context, 'issues');
  const { api, form } = context.visit;
  await api.send('DELETE', `${url}/links/${encodeURIComponent(form.get('link') ?? '')}`);
  return { redirect: `${page}#links` };
}
