import { card, submit } from '../forms/card.ts';
import type { Section, SectionContext } from '../forms/collection.ts';
import { type Field, readFields, submittedValues } from '../forms/fields.ts';
import type { Entity, JsonBody, Query } from '../frame/api.ts';
import { count, label } from '../frame/format.ts';
import { type Html, html } from '../frame/html.ts';
import { csrfField } from '../frame/layout.ts';
import type { Outcome, Page } from '../frame/visit.ts';
import { pageNotFound, sectionTitle } from '../namespaces/project.ts';
import { actionButton, userLink } from './discussion.ts';
import { iterationName } from './plan-fields.ts';
import { pathOf } from './work-item.ts';

/** Issue or epic boards: names in the API and in URLs, and parameters of lists. */
interface BoardKind {
  readonly noun: 'issue' | 'epic';
  readonly boards: 'boards' | 'epic_boards';
  readonly items: 'issues' | 'epics';
  readonly query: Query;
  readonly about: string;
  /** The kind of place that items belong to. */
  readonly places: 'projects' | 'groups';
  /** Whether items can be reordered. */
  readonly isOrdered: boolean;
}

const ofIssues: BoardKind = {
  noun: 'issue',
  boards: 'boards',
  items: 'issues',
  query: { scope: 'all', order_by: 'relative_position', sort: 'asc' },
  about: 'A board shows issues in columns by label.',
  places: 'projects',
  isOrdered: true,
};

const ofEpics: BoardKind = {
  noun: 'epic',
  boards: 'epic_boards',
  items: 'epics',
  query: { order_by: 'created_at', sort: 'desc' },
  about: 'A board shows epics in columns by label.',
  places: 'groups',
  isOrdered: false,
};

/** A column: its items, and the attributes that an item gets when moved into it. */
interface Column {
  readonly key: string;
  readonly title: string;
  readonly list?: Entity;
  readonly query: Query;
}

const perColumn = 30;

const titleOf = ({ label, milestone, iteration, assignee }: Entity): string =>
  label?.name ?? milestone?.title ?? (iteration ? iterationName(iteration) : (assignee?.name ?? 'List'));

function columnsOf(board: Entity): Column[] {
  const lists: readonly Entity[] = board.lists ?? [];
  const names = lists.flatMap((list) => (list.label ? [list.label.name] : []));
  const scope: readonly string[] = (board.labels ?? []).map(({ name }: Entity) => name);
  const within = scope.length > 0 && { labels: scope.join(',') };
  const about = (list: Entity): Query =>
    list.label
      ? { labels: [...scope, list.label.name].join(',') }
      : list.milestone
        ? { milestone: list.milestone.title }
        : list.iteration
          ? { iteration_id: list.iteration.id }
          : { assignee_id: list.assignee?.id };
  const open: Column = {
    key: 'open',
    title: 'Open',
    query: { state: 'opened', ...within, ...(names.length > 0 && { 'not[labels]': names.join(',') }) },
  };
  const closed: Column = { key: 'closed', title: 'Closed', query: { state: 'closed', ...within } };
  return [
    ...(board.hide_backlog_list ? [] : [open]),
    ...lists.map((list) => ({
      key: String(list.id),
      title: titleOf(list),
      list,
      query: { state: 'opened', ...within, ...about(list) },
    })),
    ...(board.hide_closed_list ? [] : [closed]),
  ];
}

/** A board with its columns. */
interface OpenBoard {
  readonly context: SectionContext;
  readonly kind: BoardKind;
  readonly board: Entity;
  readonly page: string;
  readonly columns: readonly Column[];
  readonly mayMove: boolean;
}

/** Buttons that move a card up or down among those of its project, because the API orders items per project. */
function stepButtons({ context: { visit }, page }: OpenBoard, here: Column, item: Entity, items: readonly Entity[]) {
  const beside = items.filter(({ project_id }) => project_id === item.project_id);
  const at = beside.indexOf(item);
  const step = (text: string, label: string, before?: Entity, after?: Entity) =>
    actionButton(
      visit,
      `${page}/move`,
      text,
      {
        place: String(item.project_id),
        iid: String(item.iid),
        from: here.key,
        to: here.key,
        before: String(before?.id ?? ''),
        after: String(after?.id ?? ''),
      },
      { label: `${label}: ${item.title}` },
    );
  return html`<p class="row">${at > 0 && step('↑', 'Up', beside[at - 2], beside[at - 1])}${at < beside.length - 1 && step('↓', 'Down', beside[at + 1], beside[at + 2])}</p>`;
}

const pagesOf = ({ home }: SectionContext, { boards }: BoardKind) => `${home}/-/${boards}`;

function moveForm(open: OpenBoard, here: Column, item: Entity, items: readonly Entity[]): Html {
  const { context, kind, page, columns } = open;
  const options = columns
    .filter(({ key }) => key !== here.key)
    .map(({ key, title }) => html`<option value="${key}">${title}</option>`);
  return html`<details><summary>Move</summary>${kind.isOrdered && stepButtons(open, here, item, items)}<form class="row" method="post" action="${page}/move" data-move>${csrfField(context.visit)}<input type="hidden" name="before"><input type="hidden" name="after"><input type="hidden" name="place" value="${item.project_id ?? item.group_id}"><input type="hidden" name="iid" value="${item.iid}"><input type="hidden" name="from" value="${here.key}"><label>To<select name="to">${options}</select></label><button>Move</button></form></details>`;
}

/** Buttons that reorder or delete a list. */
function listButtons({ context: { visit }, page, columns }: OpenBoard, { list, title }: Column): Html {
  const lists = columns.filter((column) => column.list);
  const at = lists.findIndex((column) => column.list === list);
  const button = (act: string, text: string, label: string, position?: number) =>
    actionButton(
      visit,
      `${page}/${act}`,
      text,
      { list: String(list?.id), ...(position !== undefined && { position: String(position) }) },
      { label: `${label} the list ${title}` },
    );
  return html`${at > 0 && button('move_list', '←', 'Move left', at - 1)}${at < lists.length - 1 && button('move_list', '→', 'Move right', at + 1)}${button('remove_list', 'Remove', 'Remove')}`;
}

async function drawColumn(open: OpenBoard, column: Column): Promise<Html> {
  const { kind, mayMove } = open;
  const { visit, api, home } = open.context;
  const listQuery = { ...kind.query, per_page: perColumn, with_labels_details: true, ...column.query };
  const answer = await visit.api.page(`${api}/${kind.items}`, listQuery);
  const items: readonly Entity[] = answer.body;
  const total = Number(answer.headers['x-total'] ?? items.length);
  const draw = (item: Entity) =>
    html`<li id="card_${item.id}" data-place="${item.project_id ?? item.group_id}"><a class="main" href="${pathOf(item.web_url, visit.base)}">${item.title}</a><p class="row">${item.labels.map((one: Entity) => label(one.name, one.color))}</p><p class="muted row"><span>${item.references.relative}</span>${(item.assignees ?? []).map((one: Entity) => userLink(visit, one))}</p>${mayMove && moveForm(open, column, item, items)}</li>`;
  const title = column.list?.label ? label(column.list.label.name, column.list.label.color) : column.title;
  return html`<section data-column="${column.key}"><div class="row"><h2>${title}</h2><span class="muted">${total}</span>${mayMove && column.list && listButtons(open, column)}</div>${items.length > 0 ? html`<ul class="list">${items.map(draw)}</ul>` : html`<p class="empty">Nothing here.</p>`}${total > items.length && html`<p class="muted">${count(total - items.length, `more ${kind.noun}`)} in the <a href="${home}/-/${kind.items}">list</a>.</p>`}</section>`;
}

const nameField: Field = { name: 'name', label: 'Name of the board', required: true };
const changed: readonly Field[] = [
  nameField,
  { name: 'labels', label: 'Only items with these labels', kind: 'words', hint: 'Comma-separated; empty: all' },
  { name: 'hide_backlog_list', label: 'Hide the Open list', kind: 'check' },
  { name: 'hide_closed_list', label: 'Hide the Closed list', kind: 'check' },
];

const newBoard = (context: SectionContext, kind: BoardKind) =>
  card(context.visit, { action: pagesOf(context, kind), fields: [nameField], button: 'Create board' });

async function addListForms(open: OpenBoard): Promise<Html> {
  return html`${await labelListForm(open)}${open.kind.noun === 'issue' && (await iterationListForm(open))}`;
}

async function iterationListForm({ context: { visit, api }, board, page }: OpenBoard): Promise<Html | undefined> {
  const found = (await visit.api.maybe(`${api}/iterations`, { state: 'opened', per_page: 100 })) ?? [];
  const taken = new Set(board.lists.map((list: Entity) => list.iteration?.id));
  const options = found
    .filter(({ id }: Entity) => !taken.has(id))
    .map((one: Entity) => html`<option value="${one.id}">${iterationName(one)}</option>`);
  if (options.length === 0) return undefined;
  return html`<form class="filters" method="post" action="${page}/lists">${csrfField(visit)}<label>Add a list for the iteration<select name="iteration_id">${options}</select></label><button>Add list</button></form>`;
}

async function labelListForm({ context: { visit, api, home }, board, page }: OpenBoard): Promise<Html> {
  const labels = await visit.api.get(`${api}/labels`, { per_page: 100 });
  const taken = new Set(board.lists.map((list: Entity) => list.label?.id));
  const options = labels
    .filter(({ id }: Entity) => !taken.has(id))
    .map((one: Entity) => html`<option value="${one.id}">${one.name}</option>`);
  if (options.length === 0)
    return html`<p class="muted">Every label has its list. <a href="${home}/-/labels">New label</a></p>`;
  return html`<form class="filters" method="post" action="${page}/lists">${csrfField(visit)}<label>Add a list for the label<select name="label_id">${options}</select></label><button>Add list</button></form>`;
}

/** Forms for changing the board itself. */
function boardForms({ context, kind, board, page }: OpenBoard, problem: string | undefined): Html {
  const { visit } = context;
  const values = { ...board, labels: board.labels.map(({ name }: Entity) => name) };
  const change = card(visit, {
    action: `${page}/edit`,
    fields: changed,
    values: problem === undefined ? values : submittedValues(changed, visit.form),
    button: 'Save',
    problem,
  });
  return html`<details${problem !== undefined && html` open`}><summary>Change this board</summary>${change}</details><details><summary>New board</summary>${newBoard(context, kind)}</details><details><summary>Delete this board</summary><p>The items are not deleted.</p>${actionButton(visit, `${page}/remove`, 'Delete the board')}</details>`;
}

async function boardPage(context: SectionContext, kind: BoardKind, problem?: string): Promise<Outcome> {
  const { visit, api, home } = context;
  const boards: readonly Entity[] = await visit.api.get(`${api}/${kind.boards}`, { per_page: 100 });
  const mayMove = context.role >= 15;
  const board = visit.params.id === undefined ? boards[0] : boards.find(({ id }) => String(id) === visit.params.id);
  if (!board) {
    if (visit.params.id !== undefined) throw pageNotFound();
    const body = html`<h1>Boards</h1><p class="empty">No boards yet. ${kind.about}</p>${mayMove && newBoard(context, kind)}`;
    return context.show({ title: 'Boards', body });
  }
  const columns = columnsOf(board);
  const open: OpenBoard = { context, kind, board, page: `${pagesOf(context, kind)}/${board.id}`, columns, mayMove };
  const [drawn, adding] = await Promise.all([
    Promise.all(columns.map((column) => drawColumn(open, column))),
    mayMove ? addListForms(open) : undefined,
  ]);
  const link = (one: Entity) =>
    html`<a href="${pagesOf(context, kind)}/${one.id}"${one.id === board.id && html` aria-current="page"`}>${one.name}</a>`;
  const others = boards.length > 1 && html`<nav class="row" aria-label="Boards">${boards.map(link)}</nav>`;
  const body = html`${sectionTitle(board.name, html`<a href="${home}/-/${kind.items}">As a list</a>`)}${others}<div class="stages board"${kind.isOrdered && html` data-ordered`}>${drawn}</div>${adding}${mayMove && boardForms(open, problem)}`;
  return context.show({ title: board.name, body, ...(problem !== undefined && { status: 422 }) });
}

async function createBoard(context: SectionContext, kind: BoardKind): Promise<Outcome> {
  const { visit, api } = context;
  const board = await visit.api.send('POST', `${api}/${kind.boards}`, { name: visit.form.get('name') });
  return { redirect: `${pagesOf(context, kind)}/${board.id}` };
}

/** The API path and the page URL of a board. */
const placeOf = (context: SectionContext, kind: BoardKind) => ({
  url: `${context.api}/${kind.boards}/${context.visit.params.id}`,
  page: `${pagesOf(context, kind)}/${context.visit.params.id}`,
});

async function saveBoard(context: SectionContext, kind: BoardKind): Promise<Outcome> {
  const { url, page } = placeOf(context, kind);
  const { labels, ...sent } = readFields(changed, context.visit.form, 'keep');
  return submit(context.visit, {
    method: 'PUT',
    path: url,
    sent: { ...sent, labels: Array.isArray(labels) ? labels.join(',') : '' },
    to: page,
    again: (problem) => boardPage(context, kind, problem),
  });
}

async function removeBoard(context: SectionContext, kind: BoardKind): Promise<Outcome> {
  await context.visit.api.send('DELETE', placeOf(context, kind).url);
  return { redirect: pagesOf(context, kind) };
}

async function addList(context: SectionContext, kind: BoardKind): Promise<Outcome> {
  const { url, page } = placeOf(context, kind);
  const { form, api } = context.visit;
  const name = form.has('iteration_id') ? 'iteration_id' : 'label_id';
  await api.send('POST', `${url}/lists`, { [name]: form.get(name) });
  return { redirect: page };
}

async function moveList(context: SectionContext, kind: BoardKind): Promise<Outcome> {
  const { url, page } = placeOf(context, kind);
  const { form, api } = context.visit;
  const list = encodeURIComponent(form.get('list') ?? '');
  await api.send('PUT', `${url}/lists/${list}`, { position: form.get('position') });
  return { redirect: page };
}

async function removeList(context: SectionContext, kind: BoardKind): Promise<Outcome> {
  const { url, page } = placeOf(context, kind);
  const list = encodeURIComponent(context.visit.form.get('list') ?? '');
  await context.visit.api.send('DELETE', `${url}/lists/${list}`);
  return { redirect: page };
}

/** Returns the attribute changes for moving an item between columns. */
function change(from: Column | undefined, to: Column): Record<string, unknown> {
  const gained = to.list?.label?.name;
  const lost = from?.list?.label?.name;
  return {
    ...(gained !== undefined && { add_labels: gained }),
    ...(lost !== undefined && { remove_labels: lost }),
    ...(to.list?.milestone && { milestone_id: to.list.milestone.id }),
    ...(from?.list?.milestone && to.key === 'open' && { milestone_id: 0 }),
    ...(to.list?.assignee && { assignee_ids: [to.list.assignee.id] }),
    ...(to.key === 'closed' && { state_event: 'close' }),
    ...(from?.key === 'closed' && to.key !== 'closed' && { state_event: 'reopen' }),
  };
}

/** Iterations can only be set with a quick action. */
function commandOf(from: Column | undefined, to: Column): string | undefined {
  if (to.list?.iteration) return `/iteration *iteration:${to.list.iteration.id}`;
  return from?.list?.iteration && to.key === 'open' ? '/remove_iteration' : undefined;
}

/** The neighbours of the new position, if submitted. */
function neighbours(form: URLSearchParams): JsonBody | undefined {
  const [before, after] = ['before', 'after'].map((name) => form.get(name) || undefined);
  if (before === undefined && after === undefined) return undefined;
  return { ...(before && { move_before_id: before }), ...(after && { move_after_id: after }) };
}

async function move(context: SectionContext, kind: BoardKind): Promise<Outcome> {
  const { visit } = context;
  const { url: board, page } = placeOf(context, kind);
  const columns = columnsOf(await visit.api.get(board));
  const find = (name: string) => columns.find(({ key }) => key === visit.form.get(name));
  const to = find('to');
  if (!to) throw pageNotFound();
  const from = find('from');
  const sent = change(from, to);
  const [place, iid] = ['place', 'iid'].map((name) => encodeURIComponent(visit.form.get(name) ?? ''));
  const url = `/${kind.places}/${place}/${kind.items}/${iid}`;
  if (Object.keys(sent).length > 0) await visit.api.send('PUT', url, sent);
  const command = commandOf(from, to);
  if (command !== undefined) await visit.api.send('POST', `${url}/notes`, { body: command });
  const near = neighbours(visit.form);
  const answer = kind.isOrdered && near ? await visit.api.ask('PUT', `${url}/reorder`, near) : undefined;
  const { id } = await visit.api.get(url);
  const isElsewhere = answer !== undefined && answer.status >= 300;
  return {
    redirect: `${page}#card_${id}`,
    ...(isElsewhere && { notice: 'The neighbouring cards have moved in the meantime, so the position may differ.' }),
  };
}

function pagesOfKind(section: Section, prefix: string, kind: BoardKind): Page[] {
  const path = `${prefix}/-/${kind.boards}`;
  const post = (below: string, act: (context: SectionContext, kind: BoardKind) => Promise<Outcome>) =>
    section({ method: 'POST', path: `${path}${below}`, show: (context) => act(context, kind) });
  return [
    section({ path, signedIn: true, show: (context) => boardPage(context, kind) }),
    section({ path: `${path}/:id`, signedIn: true, show: (context) => boardPage(context, kind) }),
    post('', createBoard),
    post('/:id/edit', saveBoard),
    post('/:id/lists', addList),
    post('/:id/move_list', moveList),
    post('/:id/remove_list', removeList),
    post('/:id/remove', removeBoard),
    post('/:id/move', move),
  ];
}

export const boardPages = (section: Section, prefix: string): Page[] => pagesOfKind(section, prefix, ofIssues);
export const epicBoardPages = (section: Section): Page[] => pagesOfKind(section, '/groups/:path', ofEpics);
