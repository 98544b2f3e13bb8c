import type { Entity, Query, Sent, Writing } from '../frame/api.ts';
import { listOr } from '../frame/format.ts';
import { type Html, html, type Part } from '../frame/html.ts';
import { pageOf, pager } from '../frame/paging.ts';
import type { Outcome, Page, Visit } from '../frame/visit.ts';
import { missing } from '../places/project.ts';
import { actionButton } from '../planning/discussion.ts';
import { card, submit } from './card.ts';
import { type Field, readFields, typed } from './fields.ts';

/** Where a page stands: in the settings of a project, of a group, of a user, or of the instance. */
export interface Room {
  readonly visit: Visit;
  /** What addresses of the API begin with. */
  readonly api: string;
  /** What addresses of pages begin with. */
  readonly home: string;
  /** The reader's own role here. */
  readonly role: number;
  /** The project in whose light references of texts are read. */
  readonly markdown: string | undefined;
  show(frame: { readonly title: string; readonly body: Part; readonly status?: number }): Outcome;
}

interface Button {
  readonly text: string;
  readonly method: Writing;
  path(id: string): string;
  readonly sent?: Sent;
  when?(item: Entity): boolean;
}

interface Adding {
  readonly title: string;
  readonly button: string;
  readonly fields: readonly Field[] | ((room: Room) => Promise<readonly Field[]>);
  readonly start?: Readonly<Record<string, unknown>>;
  /** Where the API makes one; the list's own address unless told. */
  readonly to?: string;
  prepare?(sent: Sent, room: Room): Promise<Sent> | Sent;
}

interface Editing {
  readonly fields: readonly Field[];
  readonly method: Writing;
  path(id: string): string;
  prepare?(sent: Sent): Sent;
}

/** A list of things that are added, changed and taken away one by one: keys, tokens, hooks, variables. */
export interface Ledger {
  readonly path: string;
  readonly title: string;
  readonly intro?: Part | ((room: Room) => Part);
  readonly empty: Part;
  /** The list of the API, below the room. */
  readonly list: string;
  readonly query?: Query | ((room: Room) => Query);
  item(one: Entity, room: Room): Html;
  idOf?(one: Entity): string;
  readonly add?: Adding;
  readonly edit?: Editing;
  readonly buttons?: Readonly<Record<string, Button>>;
  /** Whoever is below this role is shown the list alone. */
  readonly least?: number;
  /** The list may be read without signing in. */
  readonly open?: boolean;
  /** What is told once, right after it was made. */
  secret?(made: Entity): Html;
}

/** Wraps a page so that it is shown in its room. */
export type Enter = (page: Omit<Page, 'show' | 'watch'> & { show(room: Room): Promise<Outcome> | Outcome }) => Page;

const mayChange = (ledger: Ledger, { visit, role }: Room) => visit.user !== null && role >= (ledger.least ?? 0);

const idIn = (ledger: Ledger, one: Entity) => (ledger.idOf ? ledger.idOf(one) : String(one.id));

function buttonsOf(ledger: Ledger, room: Room, one: Entity): Html[] {
  const { visit, home } = room;
  if (!mayChange(ledger, room)) return [];
  const id = idIn(ledger, one);
  const edit = ledger.edit
    ? [html`<a class="button" href="${home}${ledger.path}/edit?id=${encodeURIComponent(id)}">Edit</a>`]
    : [];
  const acts = Object.entries(ledger.buttons ?? {})
    .filter(([, button]) => button.when?.(one) ?? true)
    .map(([action, { text }]) => actionButton(visit, `${home}${ledger.path}/act`, text, { action, id }));
  return [...edit, ...acts];
}

async function fieldsOf({ fields }: Adding, room: Room): Promise<readonly Field[]> {
  return typeof fields === 'function' ? fields(room) : fields;
}

interface Said {
  readonly problem?: string;
  readonly told?: Html;
}

async function listPage(ledger: Ledger, room: Room, { problem, told }: Said = {}): Promise<Outcome> {
  const { visit, api, home } = room;
  const { title, intro } = ledger;
  const add = mayChange(ledger, room) ? ledger.add : undefined;
  const asked = typeof ledger.query === 'function' ? ledger.query(room) : ledger.query;
  const query = { per_page: 50, page: pageOf(visit), ...asked };
  const [answer, fields] = await Promise.all([
    visit.api.page(api + ledger.list, query),
    add ? fieldsOf(add, room) : undefined,
  ]);
  const item = (one: Entity) =>
    html`<li><div class="row"><div class="grow">${ledger.item(one, room)}</div><span class="end row">${buttonsOf(ledger, room, one)}</span></div></li>`;
  const form =
    add &&
    fields &&
    card(visit, {
      action: home + ledger.path,
      title: add.title,
      fields,
      values: problem === undefined ? (add.start ?? {}) : typed(fields, visit.form),
      button: add.button,
      problem,
      answersInPlace: ledger.secret !== undefined,
    });
  const body = html`<h1>${title}</h1>${intro && html`<div class="muted">${typeof intro === 'function' ? intro(room) : intro}</div>`}${told}${listOr(answer.body, item, ledger.empty)}${pager(visit, answer)}${form}`;
  return room.show({ title, body, ...(problem !== undefined && { status: 422 }) });
}

async function addOne(ledger: Ledger, add: Adding, room: Room): Promise<Outcome> {
  const fields = await fieldsOf(add, room);
  const sent = readFields(fields, room.visit.form);
  return submit(room.visit, {
    method: 'POST',
    path: add.to ?? room.api + ledger.list,
    sent: add.prepare ? await add.prepare(sent, room) : sent,
    to: (made) => (ledger.secret ? listAgain(ledger, room, ledger.secret(made)) : room.home + ledger.path),
    again: (problem) => listPage(ledger, room, { problem }),
  });
}

const listAgain = (ledger: Ledger, room: Room, told: Html) => listPage(ledger, room, { told });

async function act(ledger: Ledger, { visit, api, home }: Room): Promise<Outcome> {
  const name = visit.form.get('action') ?? '';
  const button = Object.hasOwn(ledger.buttons ?? {}, name) ? ledger.buttons?.[name] : undefined;
  if (!button) throw missing();
  await visit.api.send(button.method, api + button.path(visit.form.get('id') ?? ''), button.sent);
  return { redirect: home + ledger.path };
}

async function editPage(ledger: Ledger, edit: Editing, room: Room, problem?: string): Promise<Outcome> {
  const { visit, api, home } = room;
  const id = visit.query.get('id') ?? '';
  const values = problem === undefined ? await visit.api.get(api + edit.path(id)) : typed(edit.fields, visit.form);
  const form = card(visit, {
    action: `${home}${ledger.path}/edit?id=${encodeURIComponent(id)}`,
    fields: edit.fields,
    values,
    button: 'Save',
    problem,
  });
  const body = html`<h1>${ledger.title}: change</h1>${form}<p><a href="${home}${ledger.path}">Back</a></p>`;
  return room.show({ title: ledger.title, body, ...(problem !== undefined && { status: 422 }) });
}

async function saveOne(ledger: Ledger, edit: Editing, room: Room): Promise<Outcome> {
  const { visit, api, home } = room;
  const sent = readFields(edit.fields, visit.form, 'keep');
  return submit(visit, {
    method: edit.method,
    path: api + edit.path(visit.query.get('id') ?? ''),
    sent: edit.prepare ? edit.prepare(sent) : sent,
    to: home + ledger.path,
    again: (problem) => editPage(ledger, edit, room, problem),
  });
}

/** The pages of a ledger; `prefix` is the pattern of the room's address. */
export function ledgerPages(enter: Enter, prefix: string, ledger: Ledger): Page[] {
  const path = prefix + ledger.path;
  const { add, edit } = ledger;
  return [
    enter({ path, ...(!ledger.open && { signedIn: true }), show: (room) => listPage(ledger, room) }),
    ...(add ? [enter({ method: 'POST', path, show: (room) => addOne(ledger, add, room) })] : []),
    ...(edit
      ? [
          enter({ path: `${path}/edit`, signedIn: true, show: (room) => editPage(ledger, edit, room) }),
          enter({ method: 'POST', path: `${path}/edit`, show: (room) => saveOne(ledger, edit, room) }),
        ]
      : []),
    enter({ method: 'POST', path: `${path}/act`, show: (room) => act(ledger, room) }),
  ];
}
