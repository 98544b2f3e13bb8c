import { card, submit } from '../forms/card.ts';
import { type Collection, collectionPages } from '../forms/collection.ts';
import { type Field, readFields, submittedValues } from '../forms/fields.ts';
import type { Entity } from '../frame/api.ts';
import { badge, count, listOr, relativeTime } from '../frame/format.ts';
import { type Html, html } from '../frame/html.ts';
import { pageOf, pager, withQuery } from '../frame/paging.ts';
import type { Outcome, Page } from '../frame/visit.ts';
import { inProject, type ProjectContext, projectPage, sectionTitle } from '../namespaces/project.ts';
import { roleInProject } from '../namespaces/roles.ts';
import { projectSection } from '../namespaces/sections.ts';
import { actionButton } from '../planning/discussion.ts';
import { viewLinks } from '../planning/filters.ts';
import { readStrategies, strategyFields, strategyWords } from './strategies.ts';

const tab = 'pipelines';
const path = '/-/feature_flags';
const listsPath = '/-/feature_flags_user_lists';

const fields: readonly Field[] = [
  { name: 'name', label: 'Name', required: true, hint: 'Lower-case letters, digits, - and _' },
  { name: 'description', label: 'Description' },
  { name: 'active', label: 'Active', kind: 'check' },
];

/** The settings for client applications; the token is visible to Maintainers only. */
function clientBox({ visit, home }: ProjectContext, client: Entity | undefined): Html | false {
  if (!client) return false;
  const field = (text: string, value: string) =>
    html`<label>${text}<input readonly value="${value}" data-copy></label>`;
  return html`<details><summary>Client configuration</summary><p>Use an Unleash client, with the environment as application name.</p>${field('Address', client.api_url)}${field('Instance ID (secret)', client.instance_id)}<p>${actionButton(visit, `${home}${path}/reset_token`, 'Rotate the instance ID')}</p></details>`;
}

async function listPage(context: ProjectContext): Promise<Outcome> {
  const { visit, api, home, project } = context;
  const scope = ['enabled', 'disabled'].find((one) => one === visit.query.get('scope'));
  const isMaintainer = roleInProject(visit, project) >= 40;
  const [answer, client] = await Promise.all([
    visit.api.page(`${api}/feature_flags`, { scope, per_page: 50, page: pageOf(visit) }),
    isMaintainer ? visit.api.maybe(`${api}/feature_flags_client`) : undefined,
  ]);
  const links = ['all', 'enabled', 'disabled'].map(
    (one) => [one, withQuery(visit, { scope: one === 'all' ? undefined : one, page: undefined })] as const,
  );
  const item = (flag: Entity) => {
    const page = `${home}${path}/${encodeURIComponent(flag.name)}`;
    const active = String(!flag.active);
    return html`<li><div class="row"><div class="grow"><p class="row"><a class="main" href="${page}/edit"><strong>${flag.name}</strong></a>${flag.active ? badge('active', 'on') : badge('inactive', 'off')}</p><p class="muted">${flag.description}</p>${flag.strategies.map((one: Entity) => html`<p>${strategyWords(one)}</p>`)}</div><span class="end row"><span class="muted">${relativeTime(flag.updated_at)}</span>${actionButton(visit, `${page}/active`, flag.active ? 'Turn off' : 'Turn on', { active })}</span></div></li>`;
  };
  const empty = scope
    ? `No flag is ${scope}.`
    : 'No feature flags. A flag enables a feature for some users or environments without a deployment.';
  const add = html`<span class="row"><a class="button" href="${home}${listsPath}">User lists</a><a class="button primary" href="${home}${path}/new">New flag</a></span>`;
  const body = html`${sectionTitle('Feature flags', add)}${viewLinks(links, scope ?? 'all')}${listOr(answer.body, item, empty)}${pager(visit, answer)}${clientBox(context, client)}`;
  return inProject(context, { title: 'Feature flags', tab, body });
}

const flagAddress = ({ api, visit }: ProjectContext) =>
  `${api}/feature_flags/${encodeURIComponent(visit.params.name ?? '')}`;

/** The form for creating or editing a flag. Keeps the input if the API rejects it. */
async function formPage(context: ProjectContext, flag: Entity | undefined, problem?: string): Promise<Outcome> {
  const { visit, api, home } = context;
  const { form } = visit;
  const lists = await visit.api.get(`${api}/feature_flags_user_lists`, { per_page: 100 });
  const isAgain = problem !== undefined;
  const page = flag && `${home}${path}/${encodeURIComponent(flag.name)}`;
  const title = flag ? `Edit ${flag.name}` : 'New feature flag';
  const body = html`${sectionTitle(title)}${card(visit, {
    action: page ? `${page}/edit` : `${home}${path}`,
    fields,
    values: isAgain ? submittedValues(fields, form) : (flag ?? { active: true }),
    button: flag ? 'Save' : 'Create flag',
    problem,
    more: strategyFields(flag?.strategies ?? [], lists, isAgain ? form : undefined),
  })}${page && html`<h2>Delete</h2><p>${actionButton(visit, `${page}/remove`, 'Delete the flag', {}, { confirm: 'Delete this flag?' })}</p>`}`;
  return inProject(context, { title, tab, body, ...(isAgain && { status: 422 }) });
}

async function create(context: ProjectContext): Promise<Outcome> {
  const { visit, api, home } = context;
  return submit(visit, {
    method: 'POST',
    path: `${api}/feature_flags`,
    sent: { ...readFields(fields, visit.form), strategies: readStrategies(visit.form, []) },
    to: `${home}${path}`,
    again: (problem) => formPage(context, undefined, problem),
  });
}

async function save(context: ProjectContext): Promise<Outcome> {
  const { visit, home } = context;
  const flag = await visit.api.get(flagAddress(context));
  const strategies = readStrategies(visit.form, flag.strategies);
  return submit(visit, {
    method: 'PUT',
    path: flagAddress(context),
    sent: { ...readFields(fields, visit.form, 'keep'), strategies },
    to: `${home}${path}`,
    again: (problem) => formPage(context, flag, problem),
  });
}

async function turn(context: ProjectContext): Promise<Outcome> {
  const { visit, home } = context;
  await visit.api.send('PUT', flagAddress(context), { active: visit.form.get('active') === 'true' });
  return { redirect: `${home}${path}` };
}

async function remove(context: ProjectContext): Promise<Outcome> {
  await context.visit.api.send('DELETE', flagAddress(context));
  return { redirect: `${context.home}${path}` };
}

async function resetToken({ visit, api, home }: ProjectContext): Promise<Outcome> {
  await visit.api.send('PUT', `${api}/feature_flags_client/reset_token`);
  return { redirect: `${home}${path}` };
}

const oneList = (iid: string) => `/feature_flags_user_lists/${encodeURIComponent(iid)}`;
const listFields: readonly Field[] = [
  { name: 'name', label: 'Name', required: true },
  {
    name: 'user_xids',
    label: 'Users',
    kind: 'area',
    required: true,
    hint: 'Comma-separated user IDs of the application',
  },
];

const userLists: Collection = {
  path: listsPath,
  title: 'User lists',
  intro: 'Lists of application users for feature flags.',
  empty: 'No user lists. The strategy “User list” enables a flag for the users on a list.',
  list: '/feature_flags_user_lists',
  least: 30,
  idOf: ({ iid }) => String(iid),
  item: ({ name, user_xids: users }) =>
    html`<strong>${name}</strong><p class="muted">${count(users.split(',').length, 'user')}: ${users.length > 200 ? `${users.slice(0, 200).toWellFormed()}…` : users}</p>`,
  add: { title: 'New user list', button: 'Create user list', fields: listFields },
  edit: { fields: listFields, method: 'PUT', path: oneList },
  buttons: { remove: { text: 'Delete', method: 'DELETE', path: oneList } },
};

const one = `/:project${path}/:name`;
const post = (address: string, show: (context: ProjectContext) => Promise<Outcome>) =>
  projectPage({ method: 'POST', path: address, show });

export const featureFlagPages: readonly Page[] = [
  projectPage({ path: `/:project${path}`, signedIn: true, show: listPage }),
  post(`/:project${path}`, create),
  projectPage({ path: `/:project${path}/new`, signedIn: true, show: (context) => formPage(context, undefined) }),
  projectPage({
    path: `${one}/edit`,
    signedIn: true,
    show: async (context) => formPage(context, await context.visit.api.get(flagAddress(context))),
  }),
  post(`/:project${path}/reset_token`, resetToken),
  post(`${one}/edit`, save),
  post(`${one}/active`, turn),
  post(`${one}/remove`, remove),
  ...collectionPages(projectSection(tab), '/:project', userLists),
];
