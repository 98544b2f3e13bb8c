import { card, submit } from '../forms/card.ts';
import { type Field, readFields, submittedValues } from '../forms/fields.ts';
import { type Entity, refusalOf } from '../frame/api.ts';
import { badge, count, listOr, relativeTime } from '../frame/format.ts';
import { type Html, html } from '../frame/html.ts';
import { changedParts, livePart } from '../frame/live.ts';
import type { LiveUpdates, Outcome, Page } from '../frame/visit.ts';
import { inProject, type ProjectContext, projectPage } from '../namespaces/project.ts';
import { inProjectSettings } from '../namespaces/sections.ts';
import { actionButton } from '../planning/discussion.ts';

const path = '/-/settings/export';
export const download = (base: string, api: string) => `${base}/api/v4${api}`;

const fields: readonly Field[] = [
  { name: 'description', label: 'Description in the file', kind: 'area', hint: 'Empty: description of the project' },
];

const states: Readonly<Record<string, readonly [kind: string, text: string]>> = {
  none: ['inactive', 'no file'],
  queued: ['pending', 'waiting'],
  started: ['running', 'being created'],
  regeneration_in_progress: ['running', 'being recreated'],
  finished: ['success', 'ready'],
  failed: ['failed', 'failed'],
};

export function fileState({ visit, api }: Pick<ProjectContext, 'visit' | 'api'>, { export_status }: Entity): Html {
  const [kind, text] = states[export_status] ?? ['pending', export_status];
  const file =
    ['finished', 'regeneration_in_progress'].includes(export_status) &&
    html`<a class="button" href="${download(visit.base, api)}/export/download" data-turbo="false">Download the file</a>`;
  return html`<p class="row">${badge(kind, text)}${file}</p>`;
}

const relationStates: Readonly<Record<number, readonly [kind: string, text: string]>> = {
  0: ['running', 'being created'],
  1: ['success', 'ready'],
};

/** Lists the files of a relations export, one per relation. */
export function relationList(
  { visit, api }: Pick<ProjectContext, 'visit' | 'api'>,
  relations: readonly Entity[],
): Html {
  const item = (one: Entity) => {
    const [state, text] = relationStates[one.status] ?? ['failed', 'failed'];
    const file =
      one.status === 1 &&
      !one.batched &&
      html`<a href="${download(visit.base, api)}/export_relations/download?relation=${encodeURIComponent(one.relation)}" data-turbo="false">Download</a>`;
    return html`<li class="row"><span class="main">${one.relation.replaceAll('_', ' ')}</span><span class="muted">${count(one.total_objects_count, 'object')} · ${relativeTime(one.updated_at)}</span>${file}<span class="end">${badge(state, text)}</span>${one.error && html`<p class="muted">${one.error}</p>`}</li>`;
  };
  return listOr(relations, item, 'No relations exported yet.');
}

interface Parts {
  /** Unset if exports are disabled in the instance settings. */
  readonly file?: Html;
  /** Unset if direct transfer is disabled. */
  readonly relations?: Html;
  readonly over: boolean;
}

async function partsOf(context: ProjectContext): Promise<Parts> {
  const { visit, api } = context;
  const [answer, relations] = await Promise.all([
    visit.api.ask('GET', `${api}/export`),
    visit.api.maybe(`${api}/export_relations/status`),
  ]);
  if (answer.status >= 300 && answer.status !== 404) throw refusalOf(answer);
  const file = answer.status === 404 ? undefined : answer.body;
  const isReady = file === undefined || ['none', 'finished'].includes(file.export_status);
  return {
    ...(file && { file: fileState(context, file) }),
    ...(relations && { relations: relationList(context, relations) }),
    over: isReady && !relations?.some((one: Entity) => one.status === 0),
  };
}

async function exportPage(context: ProjectContext, problem?: string): Promise<Outcome> {
  const { visit, home } = context;
  const { file, relations } = await partsOf(context);
  const form = card(visit, {
    action: home + path,
    fields,
    values: problem === undefined ? {} : submittedValues(fields, visit.form),
    button: 'Export',
    problem,
  });
  const single =
    relations &&
    html`<h2>Relations</h2><p class="muted">One file per relation, for API clients.</p>${livePart('export-relations', relations)}<div class="row">${actionButton(visit, `${home}${path}/relations`, 'Export relations')}</div>`;
  const body = html`<h1>Export</h1><p class="muted">Exports the project as a file: repository, wiki, issues, merge requests, labels, milestones, snippets and more. It can be imported on this or another server. Tokens, variables and keys are not included.</p>${file ? html`${livePart('export-file', file)}${form}` : html`<p class="empty">Exports are disabled on this instance.</p>`}${single}`;
  return inProject(context, {
    title: 'Export',
    tab: 'settings',
    body: inProjectSettings(context, body),
    ...(problem !== undefined && { status: 422 }),
  });
}

async function watchExport(context: ProjectContext): Promise<LiveUpdates> {
  let now = await partsOf(context);
  const parts = changedParts(async () => ({
    ...(now.file && { 'export-file': now.file }),
    ...(now.relations && { 'export-relations': now.relations }),
  }));
  return {
    projectId: context.project.id,
    every: 2_000,
    async changes() {
      now = await partsOf(context);
      return { ...(await parts()), over: now.over };
    },
  };
}

async function begin(context: ProjectContext): Promise<Outcome> {
  const { visit, api, home } = context;
  return submit(visit, {
    method: 'POST',
    path: `${api}/export`,
    sent: readFields(fields, visit.form),
    to: home + path,
    again: (problem) => exportPage(context, problem),
  });
}

async function beginRelations({ visit, api, home }: ProjectContext): Promise<Outcome> {
  await visit.api.send('POST', `${api}/export_relations`);
  return { redirect: home + path };
}

export const exportPages: readonly Page[] = [
  projectPage({ path: `/:project${path}`, signedIn: true, show: (context) => exportPage(context), watch: watchExport }),
  projectPage({ method: 'POST', path: `/:project${path}`, show: begin }),
  projectPage({ method: 'POST', path: `/:project${path}/relations`, show: beginRelations }),
  // The URL that GitLab's API documents for the download.
  projectPage({
    path: '/:project/download_export',
    signedIn: true,
    show: ({ visit, api }) => ({ redirect: `${download(visit.base, api)}/export/download` }),
  }),
];
