import { alert, card, submit } from '../forms/card.ts';
import { type Field, readFields, submittedValues } from '../forms/fields.ts';
import type { Entity } from '../frame/api.ts';
import { badge, listOr, relativeTime } from '../frame/format.ts';
import { type Html, html } from '../frame/html.ts';
import { changedParts, livePart } from '../frame/live.ts';
import { pageOf, pager, withQuery } from '../frame/paging.ts';
import type { LiveUpdates, Outcome, Page, Visit } from '../frame/visit.ts';
import { inProject, type ProjectContext, projectPage, sectionTitle } from '../namespaces/project.ts';
import { roleInProject } from '../namespaces/roles.ts';
import { actionButton } from '../planning/discussion.ts';
import { viewLinks } from '../planning/filters.ts';
import { actionsFor, deploymentItem, deploymentWords, openLink, reviewDeployment, runnable } from './deployments.ts';

const tab = 'pipelines';
const path = '/-/environments';
const states = ['available', 'stopping', 'stopped'] as const;
const shortestSearch = 3;

const tiers = ['production', 'staging', 'testing', 'development', 'other'].map((tier) => [tier, tier] as const);
const changed: readonly Field[] = [
  { name: 'external_url', label: 'Address', kind: 'url', hint: 'URL of the deployed application' },
  { name: 'tier', label: 'Tier', kind: 'select', options: [['', 'By its name'], ...tiers] },
  { name: 'description', label: 'Description', kind: 'area' },
];
const nameField: Field = {
  name: 'name',
  label: 'Name',
  required: true,
  hint: 'A slash creates a folder, such as review/login',
};

/** Groups environments by folder, the part of their name before the first slash; those without a folder come first. */
export function byFolder<T extends { readonly name: string }>(environments: readonly T[]): [string, T[]][] {
  const folderOf = ({ name }: T) => (name.includes('/') ? name.slice(0, name.indexOf('/')) : '');
  return [...Map.groupBy(environments, folderOf)].sort(([a], [b]) => Number(a !== '') - Number(b !== ''));
}

function environmentItem(context: ProjectContext, one: Entity): Html {
  const { home } = context;
  const last = one.last_deployment;
  return html`<li><div class="row"><div class="grow"><p class="row"><a class="main" href="${home}${path}/${one.id}"><strong>${one.name}</strong></a>${one.tier !== one.name && html`<span class="muted">${one.tier}</span>`}${one.protected && badge('protected')}</p><p class="muted">${last ? deploymentWords(context, last) : 'No deployments yet.'}</p></div><span class="end row">${one.auto_stop_at && html`<span class="muted">stops ${relativeTime(one.auto_stop_at)}</span>`}${openLink(one)}</span></div></li>`;
}

function folderTitle({ visit }: ProjectContext, folder: string): Html | false {
  if (folder === '') return false;
  const search = `${folder}/`;
  const title = html`<code>${search}</code>`;
  const isShown = visit.query.get('search') === search || search.length < shortestSearch;
  return html`<h2>${isShown ? title : html`<a href="${withQuery(visit, { search, page: undefined })}">${title}</a>`}</h2>`;
}

/** Lists deployments that are blocked until approved. */
function waiting(context: ProjectContext, deployments: readonly Entity[]): Html | false {
  if (deployments.length === 0) return false;
  const line = (one: Entity) =>
    html`<li><p class="row"><a class="main" href="${context.home}${path}/${one.environment.id}"><strong>${one.environment.name}</strong></a>${badge('blocked')}</p><p class="muted">${deploymentWords(context, one)}</p></li>`;
  return html`<h2>Waiting for approval</h2><ul class="list">${deployments.map(line)}</ul>`;
}

/** Reads the filters from the query. */
function filtersOf({ query }: Visit) {
  const state = states.find((one) => one === query.get('state')) ?? 'available';
  const typedSearch = (query.get('search') ?? '').trim();
  return { state, typedSearch, search: typedSearch.length >= shortestSearch ? typedSearch : undefined };
}

/** The live-updated list of environments. */
async function listParts(context: ProjectContext) {
  const { visit, api, home } = context;
  const { state, search } = filtersOf(visit);
  const isFirst = state === 'available' && search === undefined && pageOf(visit) === 1;
  const query = { states: state, search, with_last_deployment: true, per_page: 20, page: pageOf(visit) };
  const [answer, blocked] = await Promise.all([
    visit.api.page(`${api}/environments`, query),
    isFirst ? visit.api.get(`${api}/deployments`, { status: 'blocked', sort: 'desc', per_page: 10 }) : [],
  ]);
  const empty =
    search !== undefined
      ? html`No environment fits. <a href="${home}${path}">Show all</a>`
      : state === 'available'
        ? html`No environment yet. A job with <code>environment: production</code> creates one when it deploys.`
        : `No environment is ${state}.`;
  const draw = ([folder, list]: [string, Entity[]]) =>
    html`${folderTitle(context, folder)}<ul class="list">${list.map((one) => environmentItem(context, one))}</ul>`;
  const lists = answer.body.length > 0 ? byFolder<Entity>(answer.body).map(draw) : html`<p class="empty">${empty}</p>`;
  return { environments: html`${waiting(context, blocked)}${lists}${pager(visit, answer)}` };
}

async function listPage(context: ProjectContext): Promise<Outcome> {
  const { visit, home, project } = context;
  const { state, typedSearch, search } = filtersOf(visit);
  const { environments } = await listParts(context);
  const add =
    roleInProject(visit, project) >= 30
      ? html`<a class="button primary" href="${home}${path}/new">New environment</a>`
      : undefined;
  const tabs = viewLinks(
    states.map((one) => [one, withQuery(visit, { state: one, page: undefined })] as const),
    state,
  );
  const form = html`<form class="filters" action="${visit.base}${visit.path}"><input type="hidden" name="state" value="${state}"><label>Part of the name<input type="search" name="search" minlength="${shortestSearch}" value="${typedSearch}"></label><button>Filter</button></form>`;
  const short = typedSearch !== '' && search === undefined;
  const body = html`${sectionTitle('Environments', add)}${tabs}${form}${alert(short ? `Type ${shortestSearch} characters or more.` : undefined)}${livePart('environments', environments)}`;
  return inProject(context, { title: 'Environments', tab, body });
}

const watching =
  (draw: (context: ProjectContext) => Promise<Readonly<Record<string, Html>>>) =>
  async (context: ProjectContext): Promise<LiveUpdates> => ({
    projectId: context.project.id,
    every: 15_000,
    changes: changedParts(() => draw(context)),
  });

const environmentOf = ({ visit, api }: ProjectContext): Promise<Entity> =>
  visit.api.get(`${api}/environments/${visit.params.id}`);

function buttons({ visit, home }: ProjectContext, one: Entity): Html {
  const page = `${home}${path}/${one.id}`;
  const act = (name: string, text: string, fields = {}) => actionButton(visit, `${page}/${name}`, text, fields);
  const stop = {
    available: act('stop', 'Stop'),
    stopping: act('stop', 'Stop now', { force: 'true' }),
    stopped: act('remove', 'Delete'),
  }[one.state as (typeof states)[number]];
  return html`${openLink(one)}${one.user_can_deploy && html`<a class="button" href="${page}/edit">Edit</a>${stop}`}`;
}

/** Shows who may deploy to a protected environment; the rules are visible to Maintainers only. */
function protection(one: Entity, rule: Entity | undefined): Html | false {
  if (!one.protected) return false;
  const names = (rule?.deploy_access_levels ?? []).map((level: Entity) => level.access_level_description).join(', ');
  const approvals = rule?.approval_rules?.length
    ? rule.approval_rules
        .map((each: Entity) => `${each.required_approvals} of ${each.access_level_description}`)
        .join(', ')
    : rule?.required_approval_count > 0 && String(rule.required_approval_count);
  return html`<p class="row">${badge('protected')}<span>${names === '' ? 'Deployment is restricted.' : html`Deployed by: ${names}.`}${approvals && ` Approvals: ${approvals}.`}</span></p>`;
}

/** The approvals of blocked deployments are included only in the single-deployment API. */
const withApprovals = ({ visit, api }: ProjectContext, deployments: readonly Entity[]): Promise<Entity[]> =>
  Promise.all(
    deployments.map((one) => (one.status === 'blocked' ? visit.api.get(`${api}/deployments/${one.id}`) : one)),
  );

/** The live-updated parts of an environment's page. */
async function oneParts(context: ProjectContext) {
  const { visit, api } = context;
  const one = await environmentOf(context);
  const query = { environment: one.name, order_by: 'id', sort: 'desc', per_page: 20, page: pageOf(visit) };
  const isMaintainer = roleInProject(visit, context.project) >= 40;
  const [answer, rule] = await Promise.all([
    visit.api.page(`${api}/deployments`, query),
    one.protected && isMaintainer
      ? visit.api.maybe(`${api}/protected_environments/${encodeURIComponent(one.name)}`)
      : undefined,
  ]);
  const deployments = await withApprovals(context, answer.body);
  const theirs = one.user_can_deploy ? await runnable(context, deployments) : [];
  const actions = actionsFor(theirs, one.last_deployment?.id);
  const item = (each: Entity) => deploymentItem(context, one.id, each, actions.get(each.id));
  const empty = html`Nothing was deployed yet. Jobs do so with <code>environment: ${one.name}</code>.`;
  const stops = one.auto_stop_at && html` · stops automatically ${relativeTime(one.auto_stop_at)}`;
  return {
    one,
    head: html`<div class="row"><h1>${one.name}</h1>${badge(one.state)}<span class="end row">${buttons(context, one)}</span></div>`,
    about: html`<p class="muted">${one.tier} · created ${relativeTime(one.created_at)}${stops}</p>${one.description && html`<p>${one.description}</p>`}${protection(one, rule)}<h2>Deployments</h2>${listOr(deployments, item, empty)}${pager(visit, answer)}`,
  };
}

async function onePage(context: ProjectContext, problem?: string): Promise<Outcome> {
  const { one, head, about } = await oneParts(context);
  const body = html`${livePart('environment-head', head)}${alert(problem)}${livePart('environment-about', about)}`;
  return inProject(context, { title: one.name, tab, body, ...(problem !== undefined && { status: 422 }) });
}

const watchOne = watching(async (context) => {
  const { head, about } = await oneParts(context);
  return { 'environment-head': head, 'environment-about': about };
});

function newPage(context: ProjectContext, problem?: string): Outcome {
  const { visit, home } = context;
  const fields = [nameField, ...changed];
  const body = html`${sectionTitle('New environment')}${card(visit, {
    action: `${home}${path}`,
    fields,
    values: problem === undefined ? {} : submittedValues(fields, visit.form),
    button: 'Create environment',
    problem,
  })}`;
  return inProject(context, { title: 'New environment', tab, body, ...(problem !== undefined && { status: 422 }) });
}

async function create(context: ProjectContext): Promise<Outcome> {
  const { visit, api, home } = context;
  return submit(visit, {
    method: 'POST',
    path: `${api}/environments`,
    sent: readFields([nameField, ...changed], visit.form),
    to: (created) => `${home}${path}/${created.id}`,
    again: (problem) => newPage(context, problem),
  });
}

async function editPage(context: ProjectContext, problem?: string): Promise<Outcome> {
  const { visit, home } = context;
  const one = await environmentOf(context);
  const page = `${home}${path}/${one.id}`;
  const body = html`${sectionTitle(`Edit ${one.name}`)}${card(visit, {
    action: `${page}/edit`,
    fields: changed,
    values: problem === undefined ? one : submittedValues(changed, visit.form),
    button: 'Save',
    problem,
  })}<p><a href="${page}">Back</a></p>`;
  return inProject(context, {
    title: `Edit ${one.name}`,
    crumb: 'Edit',
    within: [{ text: one.name, href: page }],
    tab,
    body,
    ...(problem !== undefined && { status: 422 }),
  });
}

async function save(context: ProjectContext): Promise<Outcome> {
  const { visit, api, home } = context;
  const { tier, ...sent } = readFields(changed, visit.form, 'keep');
  return submit(visit, {
    method: 'PUT',
    path: `${api}/environments/${visit.params.id}`,
    // The tier is required; an empty choice leaves it unchanged.
    sent: { ...sent, ...(tier !== '' && { tier }) },
    to: `${home}${path}/${visit.params.id}`,
    again: (problem) => editPage(context, problem),
  });
}

async function stop({ visit, api, home }: ProjectContext): Promise<Outcome> {
  const sent = visit.form.get('force') === 'true' ? { force: true } : {};
  await visit.api.send('POST', `${api}/environments/${visit.params.id}/stop`, sent);
  return { redirect: `${home}${path}/${visit.params.id}` };
}

async function remove({ visit, api, home }: ProjectContext): Promise<Outcome> {
  await visit.api.send('DELETE', `${api}/environments/${visit.params.id}`);
  return { redirect: `${home}${path}?state=stopped` };
}

const review = (context: ProjectContext) => reviewDeployment(context, (problem) => onePage(context, problem));

const one = `/:project${path}/:id`;
const post = (address: string, show: (context: ProjectContext) => Promise<Outcome>) =>
  projectPage({ method: 'POST', path: address, show });

export const environmentPages: readonly Page[] = [
  projectPage({ path: `/:project${path}`, signedIn: true, show: listPage, watch: watching(listParts) }),
  post(`/:project${path}`, create),
  projectPage({ path: `/:project${path}/new`, signedIn: true, show: (context) => newPage(context) }),
  projectPage({ path: one, signedIn: true, show: (context) => onePage(context), watch: watchOne }),
  projectPage({ path: `${one}/edit`, signedIn: true, show: (context) => editPage(context) }),
  post(`${one}/edit`, save),
  post(`${one}/stop`, stop),
  post(`${one}/remove`, remove),
  post(`${one}/deployments/:deployment/approval`, review),
];
