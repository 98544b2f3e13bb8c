import type { Api, Entity, JsonBody, Query, WriteMethod } from '../frame/api.ts';
import { listOr } from '../frame/format.ts';
import { type Html, html, type Part } from '../frame/html.ts';
import type { TextPlace } from '../frame/markdown.ts';
import { pageOf, pager } from '../frame/paging.ts';
import type { Outcome, Page, Visit } from '../frame/visit.ts';
import { pageNotFound } from '../namespaces/project.ts';
import { actionButton } from '../planning/discussion.ts';
import { alert, card, submit, withFormErrors } from './card.ts';
import { drawField, type Field, readFields, submittedValues } from './fields.ts';

/** The section of a page: settings of a project, group, user or the instance. */
export interface SectionContext {
  readonly visit: Visit;
  /** Prefix of API paths. */
  readonly api: string;
  /** Prefix of page URLs. */
  readonly home: string;
  /** The user's access level. */
  readonly role: number;
  /** The context in which references in Markdown are resolved. */
  readonly markdown: TextPlace | undefined;
  /** The project or group of the section, if any. */
  readonly project?: Entity;
  readonly group?: Entity;
  show(frame: { readonly title: string; readonly body: Part; readonly status?: number }): Outcome;
}

interface Button {
  readonly text: string;
  readonly method: WriteMethod;
  path(id: string): string;
  readonly sent?: JsonBody;
  when?(item: Entity): boolean;
  /** Message to show after success, if the list itself does not show the result. */
  readonly done?: string;
}

/** Initial values of a form. */
type Starting = Readonly<Record<string, unknown>>;

interface Adding {
  readonly title: string;
  readonly button: string;
  readonly fields: readonly Field[] | ((context: SectionContext) => Promise<readonly Field[]>);
  readonly start?: Starting | ((context: SectionContext) => Promise<Starting>);
  /** API path for creating; defaults to the path of the list. */
  readonly to?: string;
  /** Overrides creating with POST to the list. */
  readonly created?: { readonly method: WriteMethod; path(typed: JsonBody, prepared: JsonBody): string };
  prepare?(sent: JsonBody, context: SectionContext): Promise<JsonBody> | JsonBody;
}

interface Editing {
  readonly fields: readonly Field[];
  /** Fields that depend on the item or the section. */
  fieldsOf?(id: string, context: SectionContext): Promise<readonly Field[]> | readonly Field[] | undefined;
  readonly method: WriteMethod;
  path(id: string): string;
  /** Initial values of an item that may be missing until it is saved. */
  startOf?(id: string): Starting | undefined;
  when?(item: Entity): boolean;
  /** Initial values, if they differ from the API's attributes. */
  valuesOf?(one: Entity): Entity;
  prepare?(sent: JsonBody, context: SectionContext): Promise<JsonBody> | JsonBody;
}

/** A list of items that are added, edited and deleted one by one: keys, tokens, webhooks, variables. */
export interface Collection {
  readonly path: string;
  readonly title: string;
  readonly intro?: Part | ((context: SectionContext) => Part | Promise<Part>);
  readonly empty: Part;
  /** API path of the list, relative to the section. */
  readonly list: string;
  /** Whether the API responds with 404 if the list is empty. */
  readonly missingWhenEmpty?: boolean;
  /** Extracts the list from the response, if the API has no list endpoint. */
  within?(answer: Entity): readonly Entity[];
  readonly query?: Query | ((context: SectionContext) => Query);
  /** Filters of the list. Each is an API parameter, unless `query` maps it. */
  readonly filters?: readonly Field[];
  item(one: Entity, context: SectionContext): Html;
  idOf?(one: Entity): string;
  readonly add?: Adding;
  readonly edit?: Editing;
  readonly buttons?: Readonly<Record<string, Button>>;
  /** Whether items are edited at an API path outside of the section. */
  readonly hasOwnAddresses?: boolean;
  /** Minimum access level for changes. */
  readonly least?: number;
  /** Whether the list is visible without signing in. */
  readonly open?: boolean;
  /** Renders a secret that is shown only once, after creation. */
  secret?(created: Entity, context: SectionContext): Html;
}

/** Wraps a page in the layout of its section. */
export type Section = (
  page: Omit<Page, 'show' | 'watch'> & { show(context: SectionContext): Promise<Outcome> | Outcome },
) => Page;

const mayChange = (collection: Collection, { visit, role }: SectionContext) =>
  visit.user !== null && role >= (collection.least ?? 0);

const changedBelow = ({ hasOwnAddresses }: Collection, { api }: SectionContext) => (hasOwnAddresses ? '' : api);

const idIn = (collection: Collection, one: Entity) => (collection.idOf ? collection.idOf(one) : String(one.id));

function buttonsOf(collection: Collection, context: SectionContext, one: Entity): Html[] {
  const { visit, home } = context;
  if (!mayChange(collection, context)) return [];
  const id = idIn(collection, one);
  const edit =
    collection.edit && (collection.edit.when?.(one) ?? true)
      ? [html`<a class="button" href="${home}${collection.path}/edit?id=${encodeURIComponent(id)}">Edit</a>`]
      : [];
  const acts = Object.entries(collection.buttons ?? {})
    .filter(([, button]) => button.when?.(one) ?? true)
    .map(([action, { text, method }]) => {
      const confirm = method === 'DELETE' ? { confirm: `${text}: are you sure?` } : {};
      return actionButton(visit, `${home}${collection.path}/act`, text, { action, id }, confirm);
    });
  return [...edit, ...acts];
}

async function fieldsOf({ fields }: Adding, context: SectionContext): Promise<readonly Field[]> {
  return typeof fields === 'function' ? fields(context) : fields;
}

async function startOf({ start = {} }: Adding, context: SectionContext): Promise<Starting> {
  return typeof start === 'function' ? start(context) : start;
}

interface Messages {
  readonly problem?: string;
  readonly notice?: Part;
  readonly status?: number;
}

const narrowedBy = ({ filters = [] }: Collection, { query }: Visit): Query =>
  Object.fromEntries(filters.map(({ name }) => [name, query.get(name) || undefined]));

function filterForm({ filters }: Collection, { base, path, query }: Visit): Html | false {
  if (!filters) return false;
  return html`<form class="filters" action="${base}${path}">${filters.map((field) => drawField(field, query.get(field.name)))}<button>Filter</button></form>`;
}

const rowsAtOnce = 50;

/** Loads one page of the list, with the pagination headers. */
async function rowsOf(collection: Collection, { visit, api }: SectionContext, query: Query) {
  const { list, within, missingWhenEmpty } = collection;
  if (missingWhenEmpty && (await visit.api.ask('GET', api + list)).status === 404) return { body: [], headers: {} };
  if (!within) return visit.api.page(api + list, query);
  const all = within(await visit.api.get(api + list, query));
  const end = pageOf(visit) * rowsAtOnce;
  const headers = { 'x-next-page': end < all.length ? String(pageOf(visit) + 1) : '' };
  return { body: all.slice(end - rowsAtOnce, end), headers };
}

async function listPage(
  collection: Collection,
  context: SectionContext,
  { problem, notice, status = problem === undefined ? 200 : 422 }: Messages = {},
): Promise<Outcome> {
  const { visit, home } = context;
  const { title, intro } = collection;
  const add = mayChange(collection, context) ? collection.add : undefined;
  const asked = typeof collection.query === 'function' ? collection.query(context) : collection.query;
  const query = { per_page: rowsAtOnce, page: pageOf(visit), ...narrowedBy(collection, visit), ...asked };
  const [answer, fields, about, start] = await Promise.all([
    rowsOf(collection, context, query),
    add ? fieldsOf(add, context) : undefined,
    typeof intro === 'function' ? intro(context) : intro,
    add ? startOf(add, context) : undefined,
  ]);
  const item = (one: Entity) =>
    html`<li><div class="row"><div class="grow">${collection.item(one, context)}</div><span class="end row">${buttonsOf(collection, context, one)}</span></div></li>`;
  const form =
    add &&
    fields &&
    card(visit, {
      action: home + collection.path,
      title: add.title,
      fields,
      values: problem === undefined ? (start ?? {}) : submittedValues(fields, visit.form),
      button: add.button,
      problem,
      answersInPlace: collection.secret !== undefined,
    });
  const body = html`<h1>${title}</h1>${about && html`<div class="muted">${about}</div>`}${notice}${filterForm(collection, visit)}${listOr(answer.body, item, collection.empty)}${pager(visit, answer)}${form}`;
  return context.show({ title, body, status });
}

async function addOne(collection: Collection, add: Adding, context: SectionContext): Promise<Outcome> {
  const fields = await fieldsOf(add, context);
  const sent = readFields(fields, context.visit.form);
  const again = (problem: string) => listPage(collection, context, { problem });
  return withFormErrors(async () => {
    const prepared = add.prepare ? await add.prepare(sent, context) : sent;
    return submit(context.visit, {
      method: add.created?.method ?? 'POST',
      path: add.to ?? context.api + (add.created?.path(sent, prepared) ?? collection.list),
      sent: prepared,
      to: (created) =>
        collection.secret
          ? listAgain(collection, context, collection.secret(created, context))
          : context.home + collection.path,
      again,
    });
  }, again);
}

const listAgain = (collection: Collection, context: SectionContext, notice: Html) =>
  listPage(collection, context, { notice });

async function act(collection: Collection, context: SectionContext): Promise<Outcome> {
  const { visit, home } = context;
  const name = visit.form.get('action') ?? '';
  const button = Object.hasOwn(collection.buttons ?? {}, name) ? collection.buttons?.[name] : undefined;
  if (!button) throw pageNotFound();
  const path = changedBelow(collection, context) + button.path(visit.form.get('id') ?? '');
  const { method, sent = {}, done } = button;
  return submit(visit, {
    method,
    path,
    sent,
    to: home + collection.path,
    ...(done !== undefined && { notice: done }),
    again: (problem) => listPage(collection, context, { notice: alert(problem), status: 422 }),
  });
}

function editedId({ query }: Visit): string {
  const id = query.get('id');
  if (!id) throw pageNotFound();
  return id;
}

const editedFields = async (edit: Editing, id: string, context: SectionContext): Promise<readonly Field[]> =>
  (await edit.fieldsOf?.(id, context)) ?? edit.fields;

async function storedValues(edit: Editing, api: Api, place: string, id: string): Promise<Starting> {
  const start = edit.startOf?.(id);
  const path = place + edit.path(id);
  const stored = start ? await api.maybe(path) : await api.get(path);
  return stored ? (edit.valuesOf?.(stored) ?? stored) : (start ?? {});
}

async function editPage(
  collection: Collection,
  edit: Editing,
  context: SectionContext,
  problem?: string,
): Promise<Outcome> {
  const { visit, home } = context;
  const id = editedId(visit);
  const fields = await editedFields(edit, id, context);
  const values =
    problem === undefined
      ? await storedValues(edit, visit.api, changedBelow(collection, context), id)
      : submittedValues(fields, visit.form);
  const form = card(visit, {
    action: `${home}${collection.path}/edit?id=${encodeURIComponent(id)}`,
    fields,
    values,
    button: 'Save',
    problem,
  });
  const body = html`<h1>${collection.title}: change</h1>${form}<p><a href="${home}${collection.path}">Back</a></p>`;
  return context.show({ title: collection.title, body, ...(problem !== undefined && { status: 422 }) });
}

async function saveOne(collection: Collection, edit: Editing, context: SectionContext): Promise<Outcome> {
  const { visit, home } = context;
  const id = editedId(visit);
  const sent = readFields(await editedFields(edit, id, context), visit.form, 'keep');
  const again = (problem: string) => editPage(collection, edit, context, problem);
  return withFormErrors(
    async () =>
      submit(visit, {
        method: edit.method,
        path: changedBelow(collection, context) + edit.path(id),
        sent: edit.prepare ? await edit.prepare(sent, context) : sent,
        to: home + collection.path,
        notice: 'Saved.',
        again,
      }),
    again,
  );
}

/** Returns the pages of a collection; `prefix` is the URL pattern of the section. */
export function collectionPages(section: Section, prefix: string, collection: Collection): Page[] {
  const path = prefix + collection.path;
  const { add, edit } = collection;
  return [
    section({ path, ...(!collection.open && { signedIn: true }), show: (context) => listPage(collection, context) }),
    ...(add ? [section({ method: 'POST', path, show: (context) => addOne(collection, add, context) })] : []),
    ...(edit
      ? [
          section({ path: `${path}/edit`, signedIn: true, show: (context) => editPage(collection, edit, context) }),
          section({ method: 'POST', path: `${path}/edit`, show: (context) => saveOne(collection, edit, context) }),
        ]
      : []),
    section({ method: 'POST', path: `${path}/act`, show: (context) => act(collection, context) }),
  ];
}
