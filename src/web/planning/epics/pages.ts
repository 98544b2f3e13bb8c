import type { Entity } from '../../frame/api.ts';
import { badge, label, listOr, relativeTime } from '../../frame/format.ts';
import { type Html, html } from '../../frame/html.ts';
import { changedParts, livePart } from '../../frame/live.ts';
import { renderOne } from '../../frame/markdown.ts';
import { pager } from '../../frame/paging.ts';
import type { LiveUpdates, Outcome, Page } from '../../frame/visit.ts';
import { type GroupContext, groupPage, inGroup } from '../../namespaces/group.ts';
import { sectionTitle } from '../../namespaces/project.ts';
import { comment } from '../comment.ts';
import { actionButton, commentForm, descriptionComment, userLink } from '../discussion.ts';
import { threadPages } from '../discussion-pages.ts';
import { filterBar, listQuery } from '../filters.ts';
import { react, reactions, reactToNote } from '../reactions.ts';
import { discussion } from '../threads.ts';
import { pathOf } from '../work-item.ts';
import { addForm, childEpics, childIssues, childPages } from './children.ts';
import { datesOf, epicItem, epicNoteable, epicOf, epicPlace, mayDelete, mayEditEpics } from './epic.ts';
import { relatedEpics, relatedPages, relateForm } from './related.ts';
import { createEpic, epicForm, removeEpic, saveEpic } from './write.ts';

async function listPage(context: GroupContext): Promise<Outcome> {
  const { visit, api, home } = context;
  const { state, search, labels, author_username, order_by, sort, with_labels_details, per_page, page } =
    listQuery(visit);
  const query = { state, search, labels, author_username, order_by, sort, with_labels_details, per_page, page };
  const answer = await visit.api.page(`${api}/epics`, query);
  const links = html`<span class="row">${visit.user && html`<a href="${home}/-/epic_boards">As a board</a>`}${mayEditEpics(context) && html`<a class="button primary" href="${home}/-/epics/new">New epic</a>`}</span>`;
  const empty =
    visit.query.size > 0
      ? html`No epic fits. <a href="${home}/-/epics">Show all open</a>`
      : html`No epic is open. An epic gathers the issues of many projects that serve one end${mayEditEpics(context) && html`; <a href="${home}/-/epics/new">create one</a>`}.`;
  const bar = filterBar(visit, ['opened', 'closed', 'all'], ['search', 'label_name', 'author_username']);
  const body = html`${sectionTitle('Epics', links)}${bar}${listOr(answer.body, (one) => epicItem(visit, one), empty)}${pager(visit, answer)}`;
  return inGroup(context, { title: 'Epics', tab: 'epics', body });
}

function head(context: GroupContext, epic: Entity): Html {
  const { visit } = context;
  const { page } = epicPlace(context);
  const watch = epic.subscribed ? 'unsubscribe' : 'subscribe';
  const buttons =
    visit.user &&
    html`<span class="end row">${mayEditEpics(context) && html`<a class="button" href="${page}/edit">Edit</a>`}${actionButton(visit, `${page}/${watch}`, epic.subscribed ? 'Unsubscribe' : 'Subscribe')}${actionButton(visit, `${page}/todo`, 'Add to-do')}</span>`;
  return html`<div class="row"><h1>${epic.title}</h1>${badge(epic.state)}${epic.confidential && badge('confidential')}${buttons}</div><p class="muted">&amp;${epic.iid} · ${userLink(visit, epic.author)} ${relativeTime(epic.created_at)}</p>`;
}

async function sidebar(context: GroupContext, epic: Entity): Promise<Html> {
  const { visit, api, home } = context;
  const none = html`<p class="muted">None</p>`;
  const [parent, known] = await Promise.all([
    epic.parent_id === null || epic._links.parent === null ? undefined : parentOf(context, epic),
    epic.labels.length > 0 ? visit.api.maybe(`${api}/labels`, { per_page: 100 }) : undefined,
  ]);
  const colors = new Map((known ?? []).map(({ name, color }: Entity) => [name, color]));
  const labels = epic.labels.map((name: string) =>
    label(name, String(colors.get(name) ?? '#888888'), `${home}/-/epics?label_name=${encodeURIComponent(name)}`),
  );
  const remove =
    mayDelete(context) &&
    html`<section class="acts"><h2>Actions</h2><details><summary>Delete</summary><p>Its issues and child epics are kept. Its comments are deleted.</p>${actionButton(visit, `${epicPlace(context).page}/remove`, 'Delete the epic')}</details></section>`;
  return html`<aside><section><h2>Labels</h2>${labels.length > 0 ? html`<p class="row labels">${labels}</p>` : none}</section><section><h2>Dates</h2>${datesOf(epic) ? html`<p>${datesOf(epic)}</p>` : none}</section>${parent && html`<section><h2>Parent epic</h2><p><a href="${pathOf(parent.web_url, visit.base)}">${parent.title}</a></p></section>`}${remove}</aside>`;
}

/** Returns the parent epic if the user can see it; it may belong to an ancestor group. */
async function parentOf({ visit }: GroupContext, { _links, parent_iid }: Entity): Promise<Entity | undefined> {
  const [, group] = /\/groups\/([^/]+)\/epics\/\d+$/.exec(String(_links.parent)) ?? [];
  return group === undefined ? undefined : visit.api.maybe(`/groups/${group}/epics/${parent_iid}`);
}

/** The live-updated parts of an epic's page. */
async function liveParts(context: GroupContext) {
  const { visit, api, group } = context;
  const { url, page } = epicPlace(context);
  const epic = await epicOf(context);
  const place = { group: group.full_path };
  const [awards, epics, issues, links, talk] = await Promise.all([
    reactions(visit, url, page),
    childEpics(context),
    childIssues(context),
    relatedEpics(context),
    discussion(visit, { url: `${api}/epics/${epic.id}`, page, place, reactions: url }),
  ]);
  const parts = {
    'epic-head': head(context, epic),
    'epic-reactions': awards,
    'epic-epics': epics,
    'epic-issues': issues,
    'epic-links': links,
    'epic-talk': talk,
  };
  return { epic, parts };
}

async function watchEpic(context: GroupContext): Promise<LiveUpdates> {
  const changes = changedParts(async () => (await liveParts(context)).parts);
  return { groupId: context.group.id, every: 15_000, changes };
}

async function epicPage(context: GroupContext, problem?: string): Promise<Outcome> {
  const { visit } = context;
  const { page } = epicPlace(context);
  const { epic, parts } = await liveParts(context);
  const [text, side] = await Promise.all([
    renderOne(visit, { group: context.group.full_path }, epic.description ?? ''),
    sidebar(context, epic),
  ]);
  const live = (id: keyof typeof parts) => livePart(id, parts[id]);
  const section = (id: 'epics' | 'issues' | 'links', adding: Html | false) =>
    html`<section id="${id}" class="related">${live(`epic-${id}`)}${adding}</section>`;
  const inside = html`${section('epics', addForm(context, 'epics', problem))}${section('issues', addForm(context, 'issues', problem))}${section('links', relateForm(context, problem))}`;
  const event = epic.state === 'opened' ? { value: 'close', text: 'Close' } : { value: 'reopen', text: 'Reopen' };
  const form = commentForm(visit, `${page}/notes`, mayEditEpics(context) ? event : undefined);
  const body = html`${live('epic-head')}<div class="columns"><div>${descriptionComment(visit, epic, text)}${live('epic-reactions')}${inside}${live('epic-talk')}${form}</div>${side}</div>`;
  return inGroup(context, { title: epic.title, tab: 'epics', body, ...(problem !== undefined && { status: 422 }) });
}

const commentOn = async (context: GroupContext): Promise<Outcome> =>
  comment(context.visit, await epicNoteable(context), epicPlace(context).url);

/** Subscriptions to epics can only be changed with a quick action. */
const command =
  (name: 'subscribe' | 'unsubscribe') =>
  async (context: GroupContext): Promise<Outcome> => {
    const { url, page } = await epicNoteable(context);
    await context.visit.api.send('POST', `${url}/notes`, { body: `/${name}` });
    return { redirect: page };
  };

async function addTodo(context: GroupContext): Promise<Outcome> {
  const { url, page } = epicPlace(context);
  await context.visit.api.send('POST', `${url}/todo`);
  return { redirect: page };
}

const list = '/groups/:path/-/epics';
const one = `${list}/:iid`;
const post = (path: string, show: (context: GroupContext) => Promise<Outcome>) =>
  groupPage({ method: 'POST', path: `${one}${path}`, show });

export const epicPages: readonly Page[] = [
  groupPage({ path: list, show: listPage }),
  groupPage({ method: 'POST', path: list, show: createEpic }),
  groupPage({ path: `${list}/new`, signedIn: true, show: (context) => epicForm(context) }),
  groupPage({ path: one, show: (context) => epicPage(context), watch: watchEpic }),
  groupPage({ path: `${one}/edit`, signedIn: true, show: (context) => epicForm(context) }),
  post('/edit', saveEpic),
  post('/remove', removeEpic),
  post('/notes', commentOn),
  post('/subscribe', command('subscribe')),
  post('/unsubscribe', command('unsubscribe')),
  post('/todo', addTodo),
  post('/reactions', (context) => react(context.visit, epicPlace(context))),
  post('/notes/:id/reactions', (context) => reactToNote(context.visit, epicPlace(context))),
  ...childPages(one, epicPage),
  ...relatedPages(one, epicPage),
  ...threadPages(one, groupPage, epicNoteable),
];
