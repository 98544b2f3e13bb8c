import type { Entity } from '../frame/api.ts';
import { type Html, html } from '../frame/html.ts';
import { changedParts, livePart } from '../frame/live.ts';
import type { LiveUpdates, Outcome, Page } from '../frame/visit.ts';
import { type GroupContext, groupPage, inGroup } from '../namespaces/group.ts';
import { inGroupSettings } from '../namespaces/sections.ts';
import { actionButton } from '../planning/discussion.ts';
import { download, fileState, relationList } from './export.ts';

const path = '/-/settings/export';

interface Parts {
  readonly file: Html;
  /** Unset if direct transfer is disabled. */
  readonly relations?: Html;
  readonly over: boolean;
}

async function partsOf(context: GroupContext): Promise<Parts> {
  const { visit, api } = context;
  const [file, relations] = await Promise.all([
    visit.api.get(`${api}/export`),
    visit.api.maybe(`${api}/export_relations/status`),
  ]);
  const problem = file.export_error && html`<p class="notice" role="alert">${file.export_error}</p>`;
  return {
    file: html`${fileState(context, file)}${problem}`,
    ...(relations && { relations: relationList(context, relations) }),
    over: ['none', 'finished', 'failed'].includes(file.export_status) && !relations?.some(isRunning),
  };
}

const isRunning = ({ status }: Entity) => status === 0;

async function exportPage(context: GroupContext): Promise<Outcome> {
  const { visit, home } = context;
  const { file, relations } = await partsOf(context);
  const single =
    relations &&
    html`<h2>Relations</h2><p class="muted">One file per relation, for API clients.</p>${livePart('export-relations', relations)}<div class="row">${actionButton(visit, `${home}${path}/relations`, 'Export relations')}</div>`;
  const body = html`<h1>Export</h1><p class="muted">The group and the groups below it as a file: labels, milestones, boards, epics with their comments, badges and members. It can be imported on this or another server, from <a href="${visit.base}/groups/new">New group</a>. Projects have separate files; tokens, variables and keys are in none.</p>${livePart('export-file', file)}<div class="row">${actionButton(visit, home + path, 'Export')}</div>${single}`;
  return inGroup(context, { title: 'Export', tab: 'edit', body: inGroupSettings(context, body) });
}

async function watchExport(context: GroupContext): Promise<LiveUpdates> {
  let now = await partsOf(context);
  const parts = changedParts(async () => ({
    'export-file': now.file,
    ...(now.relations && { 'export-relations': now.relations }),
  }));
  return {
    groupId: context.group.id,
    every: 2_000,
    async changes() {
      now = await partsOf(context);
      return { ...(await parts()), over: now.over };
    },
  };
}

const begin =
  (what: 'export' | 'export_relations') =>
  async ({ visit, api, home }: GroupContext): Promise<Outcome> => {
    await visit.api.send('POST', `${api}/${what}`);
    return { redirect: home + path };
  };

export const groupExportPages: readonly Page[] = [
  groupPage({ path: `/groups/:path${path}`, signedIn: true, show: exportPage, watch: watchExport }),
  groupPage({ method: 'POST', path: `/groups/:path${path}`, show: begin('export') }),
  groupPage({ method: 'POST', path: `/groups/:path${path}/relations`, show: begin('export_relations') }),
  groupPage({
    path: '/groups/:path/-/download_export',
    signedIn: true,
    show: ({ visit, api }) => ({ redirect: `${download(visit.base, api)}/export/download` }),
  }),
];
