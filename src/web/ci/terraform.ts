import { randomUUID } from 'node:crypto';
import { alert } from '../forms/card.ts';
import type { Entity } from '../frame/api.ts';
import { badge, listOr, relativeTime, size } from '../frame/format.ts';
import { type Html, html } from '../frame/html.ts';
import { csrfField } from '../frame/layout.ts';
import { pageOf, pager } from '../frame/paging.ts';
import type { Outcome, Page } from '../frame/visit.ts';
import { inProject, type ProjectContext, projectPage, sectionTitle } from '../namespaces/project.ts';
import { roleInProject } from '../namespaces/roles.ts';
import { actionButton, userLink } from '../planning/discussion.ts';

const tab = 'pipelines';
const path = '/-/terraform';
const mayWrite = ({ visit, project }: ProjectContext) => roleInProject(visit, project) >= 40;

/** Returns the `terraform init` command for a state. */
export function initLines(address: string, username: string): string[] {
  const settings = {
    address,
    lock_address: `${address}/lock`,
    unlock_address: `${address}/lock`,
    username,
    password: '$TOKEN',
    lock_method: 'POST',
    unlock_method: 'DELETE',
    retry_wait_min: '5',
  };
  const lines = Object.entries(settings).map(([name, value]) => `  -backend-config="${name}=${value}"`);
  return ['terraform init', ...lines].map((line, at, all) => (at < all.length - 1 ? `${line} \\` : line));
}

function howTo({ visit, project }: ProjectContext, name: string): Html {
  const address = `${visit.services.externalUrl}/api/v4/projects/${project.id}/terraform/state/${encodeURIComponent(name)}`;
  const lines = initLines(address, visit.user?.username ?? '');
  return html`<h2>Use it</h2><p>To store the state of Terraform or OpenTofu here, run <code>terraform { backend "http" {} }</code> and, where <code>TOKEN</code> is an access token:</p><pre class="box"><code class="inner">${lines.join('\n')}</code></pre>`;
}

const lockWords = ({ visit }: ProjectContext, state: Entity) =>
  state.locked_at !== null && html`${badge('locked')}<span class="muted">by ${userLink(visit, state.locked_by)}</span>`;

async function listPage(context: ProjectContext): Promise<Outcome> {
  const { visit, api, home } = context;
  const answer = await visit.api.page(`${api}/terraform/states`, { per_page: 20, page: pageOf(visit) });
  const item = (state: Entity) => {
    const last = state.latest_version;
    const words = last
      ? html`serial ${last.serial} · ${size(last.size)} · ${relativeTime(last.created_at)}`
      : 'no versions yet';
    return html`<li class="row"><a class="main" href="${home}${path}/${encodeURIComponent(state.name)}"><strong>${state.name}</strong></a>${lockWords(context, state)}<span class="end muted">${words}</span></li>`;
  };
  const body = html`${sectionTitle('Terraform states')}${listOr(answer.body, item, 'No states yet. A state appears here once Terraform has written it.')}${pager(visit, answer)}${howTo(context, 'production')}`;
  return inProject(context, { title: 'Terraform states', tab, body });
}

const nameOf = ({ visit }: ProjectContext) => encodeURIComponent(visit.params.name ?? '');

function versionItem(context: ProjectContext, version: Entity): Html {
  const { visit, api, home } = context;
  const name = nameOf(context);
  const file = `${visit.base}/api/v4${api}/terraform/state/${name}/versions/${version.serial}`;
  const remove =
    mayWrite(context) &&
    actionButton(
      visit,
      `${home}${path}/${name}/versions/remove`,
      'Delete',
      { serial: String(version.serial) },
      { confirm: 'Delete this version?' },
    );
  return html`<li><div class="row"><span class="main"><strong>${version.serial}</strong> <span class="muted">${size(version.size)} · ${userLink(visit, version.created_by)} ${relativeTime(version.created_at)}</span></span><span class="end row"><a href="${file}" data-turbo="false" download="state-${version.serial}.json">Download</a>${remove}</span></div><p class="muted">SHA-256 <code>${version.sha256}</code></p></li>`;
}

/** The user must confirm deletion: without its state, Terraform would create all resources again. */
function removal(context: ProjectContext, { name, locked_at: lockedAt }: Entity): Html | false {
  const { visit, home } = context;
  if (!mayWrite(context)) return false;
  const form =
    lockedAt === null
      ? html`<form class="card" method="post" action="${home}${path}/${nameOf(context)}/remove">${csrfField(visit)}<label>Type <code>${name}</code> to delete the state with all its versions<input name="confirm" required autocomplete="off"></label><div class="row"><button class="danger">Delete the state</button></div></form>`
      : html`<p class="muted">The state is locked. Unlock it first.</p>`;
  return html`<h2>Delete</h2>${form}`;
}

async function onePage(context: ProjectContext, problem?: string): Promise<Outcome> {
  const { visit, api, home } = context;
  const url = `${api}/terraform/states/${nameOf(context)}`;
  const [state, versions] = await Promise.all([
    visit.api.get(url),
    visit.api.page(`${url}/versions`, { per_page: 20, page: pageOf(visit) }),
  ]);
  const isLocked = state.locked_at !== null;
  const lock =
    mayWrite(context) &&
    actionButton(
      visit,
      `${home}${path}/${nameOf(context)}/${isLocked ? 'unlock' : 'lock'}`,
      isLocked ? 'Unlock' : 'Lock',
    );
  const body = html`<div class="row"><h1>${state.name}</h1>${lockWords(context, state)}<span class="end">${lock}</span></div>${alert(problem)}<p class="muted">created ${relativeTime(state.created_at)}${isLocked && html` · locked ${relativeTime(state.locked_at)}`}</p><h2>Versions</h2>${listOr(versions.body, (one) => versionItem(context, one), 'No versions yet.')}${pager(visit, versions)}${howTo(context, state.name)}${removal(context, state)}`;
  return inProject(context, { title: state.name, tab, body, ...(problem !== undefined && { status: 422 }) });
}

async function lock(context: ProjectContext): Promise<Outcome> {
  const { visit, api, home } = context;
  const lockInfo = { Operation: 'Locked in the browser', Info: '', Version: '', Path: '' };
  const holder = { ID: randomUUID(), Who: visit.user?.username ?? '', Created: new Date().toISOString() };
  await visit.api.send('POST', `${api}/terraform/state/${nameOf(context)}/lock`, { ...lockInfo, ...holder });
  return { redirect: `${home}${path}/${nameOf(context)}` };
}

async function unlock(context: ProjectContext): Promise<Outcome> {
  const { visit, api, home } = context;
  await visit.api.send('DELETE', `${api}/terraform/state/${nameOf(context)}/lock`);
  return { redirect: `${home}${path}/${nameOf(context)}` };
}

async function remove(context: ProjectContext): Promise<Outcome> {
  const { visit, api, home } = context;
  if (visit.form.get('confirm') !== visit.params.name) {
    return onePage(context, 'The name does not match: nothing was deleted.');
  }
  await visit.api.send('DELETE', `${api}/terraform/state/${nameOf(context)}`);
  return { redirect: `${home}${path}` };
}

async function removeVersion(context: ProjectContext): Promise<Outcome> {
  const { visit, api, home } = context;
  const serial = encodeURIComponent(visit.form.get('serial') ?? '');
  await visit.api.send('DELETE', `${api}/terraform/state/${nameOf(context)}/versions/${serial}`);
  return { redirect: `${home}${path}/${nameOf(context)}` };
}

const one = `/:project${path}/:name`;
const post = (address: string, show: (context: ProjectContext) => Promise<Outcome>) =>
  projectPage({ method: 'POST', path: address, show });

export const terraformPages: readonly Page[] = [
  projectPage({ path: `/:project${path}`, signedIn: true, show: listPage }),
  projectPage({ path: one, signedIn: true, show: (context) => onePage(context) }),
  post(`${one}/lock`, lock),
  post(`${one}/unlock`, unlock),
  post(`${one}/remove`, remove),
  post(`${one}/versions/remove`, removeVersion),
];
