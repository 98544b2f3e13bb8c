import { card } from '../forms/card.ts';
import type { Section, SectionContext } from '../forms/collection.ts';
import type { Entity, Query } from '../frame/api.ts';
import { count, label } from '../frame/format.ts';
import { type Html, html } from '../frame/html.ts';
import { proof } from '../frame/layout.ts';
import type { Outcome, Page } from '../frame/visit.ts';
import { missing, sectionTitle } from '../namespaces/project.ts';
import { actionButton, person } from './discussion.ts';
import { pathOf } from './work-item.ts';

/** A column: what stands in it, and what an issue that comes into it becomes. */
interface Column {
  readonly key: string;
  readonly title: string;
  readonly list?: Entity;
  readonly query: Query;
}

const perColumn = 30;

function columnsOf(board: Entity): Column[] {
  const lists: readonly Entity[] = board.lists ?? [];
  const names = lists.flatMap((list) => (list.label ? [list.label.name] : []));
  const about = (list: Entity): Query =>
    list.label
      ? { labels: list.label.name }
      : list.milestone
        ? { milestone: list.milestone.title }
        : { assignee_id: list.assignee?.id };
  return [
    {
      key: 'open',
      title: 'Open',
      query: { state: 'opened', ...(names.length > 0 && { 'not[labels]': names.join(',') }) },
    },
    ...lists.map((list) => ({
      key: String(list.id),
      title: list.label?.name ?? list.milestone?.title ?? list.assignee?.name ?? 'List',
      list,
      query: { state: 'opened', ...about(list) },
    })),
    { key: 'closed', title: 'Closed', query: { state: 'closed' } },
  ];
}

function moveForm(
  { visit, home }: SectionContext,
  board: Entity,
  columns: readonly Column[],
  here: Column,
  issue: Entity,
): Html {
  const options = columns
    .filter(({ key }) => key !== here.key)
    .map(({ key, title }) => html`<option value="${key}">${title}</option>`);
  return html`<details><summary>Move</summary><form class="row" method="post" action="${home}/-/boards/${board.id}/move">${proof(visit)}<input type="hidden" name="project" value="${issue.project_id}"><input type="hidden" name="iid" value="${issue.iid}"><input type="hidden" name="from" value="${here.key}"><label>To<select name="to">${options}</select></label><button>Move</button></form></details>`;
}

async function drawColumn(
  context: SectionContext,
  board: Entity,
  columns: readonly Column[],
  column: Column,
  mayMove: boolean,
): Promise<Html> {
  const { visit, api, home } = context;
  const query = {
    scope: 'all',
    order_by: 'relative_position',
    sort: 'asc',
    per_page: perColumn,
    with_labels_details: true,
  };
  const answer = await visit.api.page(`${api}/issues`, { ...query, ...column.query });
  const issues: readonly Entity[] = answer.body;
  const total = Number(answer.headers['x-total'] ?? issues.length);
  const item = (issue: Entity) =>
    html`<li><a class="main" href="${pathOf(issue.web_url, visit.base)}">${issue.title}</a><p class="row">${issue.labels.map((one: Entity) => label(one.name, one.color))}</p><p class="muted row"><span>${issue.references.relative}</span>${issue.assignees.map((one: Entity) => person(visit, one))}</p>${mayMove && moveForm(context, board, columns, column, issue)}</li>`;
  const title = column.list?.label ? label(column.list.label.name, column.list.label.color) : column.title;
  const remove =
    mayMove &&
    column.list &&
    actionButton(visit, `${home}/-/boards/${board.id}/remove_list`, 'Remove', { list: String(column.list.id) });
  return html`<section><div class="row"><h2>${title}</h2><span class="muted">${total}</span>${remove}</div><ul class="list">${issues.map(item)}</ul>${issues.length === 0 && html`<p class="empty">Nothing here.</p>`}${total > issues.length && html`<p class="muted">${count(total - issues.length, 'more issue')} in the <a href="${home}/-/issues">list</a>.</p>`}</section>`;
}

const newBoard = (visit: SectionContext['visit'], home: string) =>
  card(visit, {
    action: `${home}/-/boards`,
    fields: [{ name: 'name', label: 'Name of the board', required: true }],
    button: 'Create board',
  });

async function addListForm({ visit, api, home }: SectionContext, board: Entity): Promise<Html> {
  const labels = await visit.api.get(`${api}/labels`, { per_page: 100 });
  const taken = new Set(board.lists.map((list: Entity) => list.label?.id));
  const options = labels
    .filter(({ id }: Entity) => !taken.has(id))
    .map((one: Entity) => html`<option value="${one.id}">${one.name}</option>`);
  if (options.length === 0)
    return html`<p class="muted">Every label has its list. <a href="${home}/-/labels">New label</a></p>`;
  return html`<form class="filters" method="post" action="${home}/-/boards/${board.id}/lists">${proof(visit)}<label>Add a list for the label<select name="label_id">${options}</select></label><button>Add list</button></form>`;
}

async function boardPage(context: SectionContext): Promise<Outcome> {
  const { visit, api, home } = context;
  const boards: readonly Entity[] = await visit.api.get(`${api}/boards`, { per_page: 100 });
  const mayMove = context.role >= 15;
  const board = visit.params.id === undefined ? boards[0] : boards.find(({ id }) => String(id) === visit.params.id);
  if (!board) {
    if (visit.params.id !== undefined) throw missing();
    const body = html`<h1>Boards</h1><p class="empty">There is no board yet. A board shows issues in columns, one for each of some labels.</p>${mayMove && newBoard(visit, home)}`;
    return context.show({ title: 'Boards', body });
  }
  const columns = columnsOf(board);
  const [drawn, adding] = await Promise.all([
    Promise.all(columns.map((column) => drawColumn(context, board, columns, column, mayMove))),
    mayMove ? addListForm(context, board) : undefined,
  ]);
  const others = boards.map(
    (one) =>
      html`<a href="${home}/-/boards/${one.id}">${one.id === board.id ? html`<strong>${one.name}</strong>` : one.name}</a>`,
  );
  const body = html`${sectionTitle(board.name, html`<a href="${home}/-/issues">As a list</a>`)}<p class="row">${others}</p><div class="stages board">${drawn}</div>${adding}${mayMove && html`<details><summary>New board</summary>${newBoard(visit, home)}</details><details><summary>Delete this board</summary><p>The issues on it stay as they are.</p>${actionButton(visit, `${home}/-/boards/${board.id}/remove`, 'Delete the board')}</details>`}`;
  return context.show({ title: board.name, body });
}

async function createBoard({ visit, api, home }: SectionContext): Promise<Outcome> {
  const board = await visit.api.send('POST', `${api}/boards`, { name: visit.form.get('name') });
  return { redirect: `${home}/-/boards/${board.id}` };
}

async function removeBoard({ visit, api, home }: SectionContext): Promise<Outcome> {
  await visit.api.send('DELETE', `${api}/boards/${visit.params.id}`);
  return { redirect: `${home}/-/boards` };
}

async function addList({ visit, api, home }: SectionContext): Promise<Outcome> {
  const { id } = visit.params;
  await visit.api.send('POST', `${api}/boards/${id}/lists`, { label_id: visit.form.get('label_id') });
  return { redirect: `${home}/-/boards/${id}` };
}

async function removeList({ visit, api, home }: SectionContext): Promise<Outcome> {
  const { id } = visit.params;
  const list = encodeURIComponent(visit.form.get('list') ?? '');
  await visit.api.send('DELETE', `${api}/boards/${id}/lists/${list}`);
  return { redirect: `${home}/-/boards/${id}` };
}

/** What an issue gains by coming into a column, and loses by leaving one. */
function change(from: Column | undefined, to: Column): Record<string, unknown> {
  const gained = to.list?.label?.name;
  const lost = from?.list?.label?.name;
  return {
    ...(gained !== undefined && { add_labels: gained }),
    ...(lost !== undefined && { remove_labels: lost }),
    ...(to.list?.milestone && { milestone_id: to.list.milestone.id }),
    ...(to.list?.assignee && { assignee_ids: [to.list.assignee.id] }),
    ...(to.key === 'closed' && { state_event: 'close' }),
    ...(from?.key === 'closed' && to.key !== 'closed' && { state_event: 'reopen' }),
  };
}

async function move({ visit, api, home }: SectionContext): Promise<Outcome> {
  const { id } = visit.params;
  const columns = columnsOf(await visit.api.get(`${api}/boards/${id}`));
  const find = (name: string) => columns.find(({ key }) => key === visit.form.get(name));
  const to = find('to');
  if (!to) throw missing();
  const sent = change(find('from'), to);
  const [project, iid] = ['project', 'iid'].map((name) => encodeURIComponent(visit.form.get(name) ?? ''));
  if (Object.keys(sent).length > 0) await visit.api.send('PUT', `/projects/${project}/issues/${iid}`, sent);
  return { redirect: `${home}/-/boards/${id}` };
}

export function boardPages(section: Section, prefix: string): Page[] {
  const path = `${prefix}/-/boards`;
  return [
    section({ path, signedIn: true, show: boardPage }),
    section({ method: 'POST', path, show: createBoard }),
    section({ path: `${path}/:id`, signedIn: true, show: boardPage }),
    section({ method: 'POST', path: `${path}/:id/lists`, show: addList }),
    section({ method: 'POST', path: `${path}/:id/remove_list`, show: removeList }),
    section({ method: 'POST', path: `${path}/:id/remove`, show: removeBoard }),
    section({ method: 'POST', path: `${path}/:id/move`, show: move }),
  ];
}
