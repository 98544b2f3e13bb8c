import { alert } from '../../forms/card.ts';
import { type ApiAnswer, type Entity, refusalOf } from '../../frame/api.ts';
import { badge, listOr } from '../../frame/format.ts';
import { type Html, html, nothing } from '../../frame/html.ts';
import { csrfField } from '../../frame/layout.ts';
import { pageOf, pager } from '../../frame/paging.ts';
import type { Outcome, Page } from '../../frame/visit.ts';
import { type GroupContext, groupPage } from '../../namespaces/group.ts';
import { pageNotFound } from '../../namespaces/project.ts';
import { actionButton } from '../discussion.ts';
import { readReference } from '../reference.ts';
import { pathOf } from '../work-item.ts';
import { epicPlace, mayEditEpics, mayLinkEpics } from './epic.ts';

type What = 'issues' | 'epics';

const perPage = 50;
const maxEpics = 100;
/** The discussion of the epic has its own page parameter. */
const pageName = 'issues_page';

/** ID of a child in the API. */
const numberOf = (what: What, item: Entity): number => (what === 'issues' ? item.epic_issue_id : item.id);

/** Returns the neighbours of an item after moving it; undefined if they are not on this page. */
export function neighbours(
  ids: readonly number[],
  at: number,
  way: 'up' | 'down',
  { isFirst, isLast }: { readonly isFirst: boolean; readonly isLast: boolean },
): { readonly before?: number; readonly after?: number } | undefined {
  const [before, after] = way === 'up' ? [ids[at - 2], ids[at - 1]] : [ids[at + 1], ids[at + 2]];
  if (way === 'up' ? after === undefined : before === undefined) return undefined;
  const isKnown = way === 'up' ? before !== undefined || isFirst : after !== undefined || isLast;
  if (!isKnown) return undefined;
  return { ...(before !== undefined && { before }), ...(after !== undefined && { after }) };
}

function drawItems(
  context: GroupContext,
  what: What,
  items: readonly Entity[],
  ends: { readonly isFirst: boolean; readonly isLast: boolean },
): Html[] {
  const { visit } = context;
  const { page } = epicPlace(context);
  const ids = items.map((item) => numberOf(what, item));
  return items.map((item, at) => {
    const act = (name: string, text: string, fields: Record<string, string>, ariaLabel: string) =>
      actionButton(
        visit,
        `${page}/${what}/${name}`,
        text,
        { number: String(ids[at]), ...fields },
        { label: ariaLabel },
      );
    const move = (way: 'up' | 'down', text: string) => {
      const place = neighbours(ids, at, way, ends);
      const fields = Object.entries(place ?? {}).map(([name, id]) => [name, String(id)]);
      return place && act('move', text, Object.fromEntries(fields), `Move ${item.title} ${way}`);
    };
    const buttons =
      mayLinkEpics(context) &&
      html`${move('up', '↑')}${move('down', '↓')}${act('remove', 'Remove', {}, `Remove ${item.title}`)}`;
    return html`<li class="row"><a class="main" href="${pathOf(item.web_url, visit.base)}">${item.title}</a><span class="muted">${item.references?.relative}</span>${item.confidential && badge('confidential')}<span class="end row">${badge(item.state)}${buttons}</span></li>`;
  });
}

/** The form that adds a child, with the previous error. */
export function addForm(context: GroupContext, what: What, problem?: string): Html | false {
  if (!mayLinkEpics(context)) return false;
  const { visit } = context;
  const failed = problem !== undefined && visit.form.get('part') === what;
  const typed = (name: string) => (failed ? visit.form.get(name) : '');
  const form = (path: string, inner: Html, button: string) =>
    html`<form class="filters" method="post" action="${epicPlace(context).page}/${what}${path}">${csrfField(visit)}<input type="hidden" name="part" value="${what}">${inner}<button>${button}</button></form>`;
  const existing =
    what === 'issues'
      ? html`<label>Issue<input name="target" required placeholder="project#5 or an address" value="${typed('target')}"></label>`
      : html`<label>Epic<input name="target" required placeholder="&amp;5 or an address" value="${typed('target')}"></label>`;
  const link =
    what === 'epics' &&
    mayEditEpics(context) &&
    form('/new', html`<label>New epic<input name="title" required value="${typed('title')}"></label>`, 'Create');
  return html`<details${failed && html` open`}><summary>Add ${what === 'issues' ? 'an issue' : 'an epic'}</summary>${failed && alert(problem)}${form('', existing, 'Add')}${link}</details>`;
}

/** Lists one page of the epic's issues in order. */
export async function childIssues(context: GroupContext): Promise<Html> {
  const { visit } = context;
  const answer: ApiAnswer = await visit.api.page(`${epicPlace(context).url}/issues`, {
    per_page: perPage,
    page: pageOf(visit, pageName),
  });
  const ends = { isFirst: pageOf(visit, pageName) === 1, isLast: String(answer.headers['x-next-page'] ?? '') === '' };
  const items = drawItems(context, 'issues', answer.body, ends);
  return html`<h2>Issues</h2>${listOr(items, (item) => item, 'No issues yet.')}${pager(visit, answer, pageName)}`;
}

export async function childEpics(context: GroupContext): Promise<Html> {
  const all: readonly Entity[] = await context.visit.api.get(`${epicPlace(context).url}/epics`);
  if (all.length === 0 && !mayLinkEpics(context)) return nothing;
  const shown = all.slice(0, maxEpics);
  const items = drawItems(context, 'epics', shown, { isFirst: true, isLast: all.length === shown.length });
  const more = all.length > shown.length && html`<p class="muted">and ${all.length - shown.length} more</p>`;
  return html`<h2>Child epics</h2>${items.length > 0 && html`<ul class="list">${items}</ul>`}${more}`;
}

const unknown = 'It does not exist, or you do not have access to it.';

/** Resolves a reference to an ID; undefined if the user cannot see the object. */
async function targetId({ visit, group, api }: GroupContext, what: What): Promise<number | undefined> {
  const sign = what === 'issues' ? '#' : '&';
  const here = what === 'issues' ? `${group.full_path}/` : group.full_path;
  const named = readReference(visit.form.get('target') ?? '', sign, { here, origin: visit.services.externalUrl });
  if (!named) return undefined;
  if (what === 'epics') {
    const place = named.path === undefined ? api : `/groups/${encodeURIComponent(named.path)}`;
    return (await visit.api.maybe(`${place}/epics/${named.iid}`))?.id;
  }
  if (named.path === undefined) return undefined;
  return (await visit.api.maybe(`/projects/${encodeURIComponent(named.path)}/issues/${named.iid}`))?.id;
}

type Again = (context: GroupContext, problem: string) => Promise<Outcome>;

async function add(context: GroupContext, what: What, again: Again): Promise<Outcome> {
  const { url, page } = epicPlace(context);
  const id = await targetId(context, what);
  if (id === undefined) return again(context, unknown);
  const answer = await context.visit.api.ask('POST', `${url}/${what}/${id}`);
  if (answer.status === 404) return again(context, unknown);
  if ([400, 403, 409, 422].includes(answer.status)) return again(context, refusalOf(answer).reason);
  if (answer.status >= 300) throw refusalOf(answer);
  return { redirect: `${page}#${what}` };
}

async function create(context: GroupContext, again: Again): Promise<Outcome> {
  const { url, page } = epicPlace(context);
  const answer = await context.visit.api.ask('POST', `${url}/epics`, { title: context.visit.form.get('title') ?? '' });
  if ([400, 409, 422].includes(answer.status)) return again(context, refusalOf(answer).reason);
  if (answer.status >= 300) throw refusalOf(answer);
  return { redirect: `${page}#epics` };
}

const number = (text: string | null) => (/^\d{1,15}$/.test(text ?? '') ? Number(text) : undefined);

async function change(context: GroupContext, what: What, method: 'PUT' | 'DELETE'): Promise<Outcome> {
  const { form, api } = context.visit;
  const { url, page } = epicPlace(context);
  const one = number(form.get('number'));
  if (one === undefined) throw pageNotFound();
  const [move_before_id, move_after_id] = [number(form.get('before')), number(form.get('after'))];
  await api.send(method, `${url}/${what}/${one}`, method === 'PUT' ? { move_before_id, move_after_id } : {});
  return { redirect: `${page}#${what}` };
}

export function childPages(path: string, again: Again): Page[] {
  const post = (below: string, show: (context: GroupContext) => Promise<Outcome>) =>
    groupPage({ method: 'POST', path: `${path}/${below}`, show });
  const kinds: readonly What[] = ['issues', 'epics'];
  return [
    post('epics/new', (context) => create(context, again)),
    ...kinds.flatMap((what) => [
      post(what, (context) => add(context, what, again)),
      post(`${what}/move`, (context) => change(context, what, 'PUT')),
      post(`${what}/remove`, (context) => change(context, what, 'DELETE')),
    ]),
  ];
}
