import { alert, card, submit } from '../forms/card.ts';
import { readFields } from '../forms/fields.ts';
import { type Entity, refusalOf } from '../frame/api.ts';
import { badge, count } from '../frame/format.ts';
import { type Html, html, type Part } from '../frame/html.ts';
import { changedParts, livePart } from '../frame/live.ts';
import type { LiveUpdates, Outcome, Page } from '../frame/visit.ts';
import { inProject, type ProjectContext, projectPage } from '../namespaces/project.ts';
import { roleInProject } from '../namespaces/roles.ts';
import { actionButton } from '../planning/discussion.ts';
import { addressFields, withCredentials } from './git-url.ts';

const running: ReadonlySet<string> = new Set(['scheduled', 'started']);
export const isRunning = ({ import_status }: Entity): boolean => running.has(import_status);

const kinds: Readonly<Record<string, string>> = {
  scheduled: 'pending',
  started: 'running',
  finished: 'success',
  failed: 'failed',
  canceled: 'canceled',
};

/** Badge for the status of an import. */
export const stateBadge = ({ import_status }: Entity): Html =>
  badge(kinds[import_status] ?? 'pending', import_status === 'scheduled' ? 'waiting' : import_status);

function counts({ stats }: Entity): Html | false {
  const kindsThere = Object.entries<number>(stats?.fetched ?? {});
  if (kindsThere.length === 0) return false;
  const row = ([kind, fetched]: readonly [string, number]) =>
    html`<tr><th scope="row">${kind.replaceAll('_', ' ')}</th><td>${stats.imported[kind] ?? 0}</td><td>${fetched}</td></tr>`;
  return html`<table><thead><tr><th scope="col">What</th><th scope="col">Here</th><th scope="col">Seen there</th></tr></thead><tbody>${kindsThere.map(row)}</tbody></table>`;
}

export function failures({ failed_relations: failed }: Entity): Html | false {
  if (failed.length === 0) return false;
  const item = (one: Entity) =>
    html`<li><strong>${one.relation_name.replaceAll('_', ' ')}</strong> <code>${one.source}</code><p class="muted">${one.exception_message ?? one.exception_class}</p></li>`;
  return html`<details><summary>${failed.length === 100 ? 'The last 100 failures' : count(failed.length, 'failure')}</summary><ul class="list">${failed.map(item)}</ul></details>`;
}

/** Git's error messages, and what they mean to the user. */
const gitProblems: readonly (readonly [RegExp, string])[] = [
  [
    /could not read (Username|Password)|Authentication failed|terminal prompts disabled/i,
    'The repository does not exist, or requires a username and password or token.',
  ],
  [/repository '[^']*' not found|returned error: 404/i, 'There is no repository at that address.'],
  [/Could not resolve host/i, 'The host name could not be resolved.'],
  [/Connection refused|Failed to connect|timed out/i, 'The host does not respond.'],
];

/** Explains why an import failed, including git's message. */
export function problemOf(error: string): Html {
  const meaning = gitProblems.find(([pattern]) => pattern.test(error))?.[1];
  return html`<p class="notice" role="alert">${meaning === undefined ? error : html`${meaning} <span class="muted">(${error})</span>`}</p>`;
}

/** Shows the progress or the result of an import. */
export function importState({ visit, home, project }: ProjectContext, status: Entity): Html {
  const may = (least: number) => roleInProject(visit, project) >= least;
  const stop = isRunning(status) && may(50) && actionButton(visit, `${home}/-/import/cancel`, 'Cancel the import');
  const over =
    status.import_status === 'finished' && html`<p>It is here now: <a href="${home}">open the project</a>.</p>`;
  return html`<div class="row"><strong>Import</strong>${stateBadge(status)}<span class="end">${stop}</span></div>${status.import_error && problemOf(status.import_error)}${counts(status)}${failures(status)}${over}`;
}

const statusOf = ({ visit, api }: ProjectContext): Promise<Entity> => visit.api.get(`${api}/import`);

/**
 * Offers to repeat an import that failed before anything was imported. The credentials must be entered again, because
 * they were erased when it ended.
 */
function again({ visit, home, project }: ProjectContext, status: Entity, problem?: string): Part {
  const isOver = ['failed', 'canceled'].includes(status.import_status) && roleInProject(visit, project) >= 40;
  if (!isOver) return alert(problem);
  if (status.import_type !== 'git' || status.import_status !== 'failed' || project.empty_repo !== true)
    return html`<p>The credentials were erased when it ended: <a href="${visit.base}/projects/new">start another import</a>, and delete this project in its <a href="${home}/edit">settings</a>.</p>`;
  return card(visit, {
    action: `${home}/-/import/retry`,
    title: 'Try again',
    fields: addressFields,
    values: problem === undefined ? project : Object.fromEntries(visit.form),
    button: 'Import again',
    problem,
  });
}

/** Shows the import on the home page of a project that has nothing else to show. */
export async function importPart(context: ProjectContext, problem?: string): Promise<Html> {
  const status = await statusOf(context);
  return html`${livePart('import', importState(context, status))}${livePart('import-again', again(context, status, problem))}`;
}

/** Whether the home page shows the import instead of the files. */
export const showsImport = ({ visit, project }: ProjectContext): boolean =>
  visit.user !== null &&
  (isRunning(project) || (['failed', 'canceled'].includes(project.import_status) && project.empty_repo === true));

export async function watchImport(context: ProjectContext): Promise<LiveUpdates> {
  let status: Entity;
  const states = changedParts(async () => ({
    import: importState(context, status),
    'import-again': again(context, status),
  }));
  return {
    projectId: context.project.id,
    every: 2_000,
    async changes() {
      status = await statusOf(context);
      return { ...(await states()), over: !isRunning(status) };
    },
  };
}

async function page(context: ProjectContext, problem?: string): Promise<Outcome> {
  const body = html`<h1>Import of ${context.project.name}</h1>${await importPart(context, problem)}`;
  return inProject(context, { title: 'Import', tab: '', body, ...(problem !== undefined && { status: 422 }) });
}

async function cancel({ visit, api, home }: ProjectContext): Promise<Outcome> {
  // The import may have finished in the meantime, which is not an error.
  const answer = await visit.api.ask('POST', `${api}/import/cancel`);
  if (answer.status >= 300 && answer.status !== 400) throw refusalOf(answer);
  return { redirect: `${home}/-/import` };
}

async function retry(context: ProjectContext): Promise<Outcome> {
  const { visit, api, home } = context;
  return submit(visit, {
    method: 'POST',
    path: `${api}/import/retry`,
    sent: withCredentials(readFields(addressFields, visit.form)),
    to: `${home}/-/import`,
    again: (problem) => page(context, problem),
  });
}

export const progressPages: readonly Page[] = [
  projectPage({ path: '/:project/-/import', signedIn: true, show: (context) => page(context), watch: watchImport }),
  projectPage({ method: 'POST', path: '/:project/-/import/cancel', show: cancel }),
  projectPage({ method: 'POST', path: '/:project/-/import/retry', show: retry }),
];
