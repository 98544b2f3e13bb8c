import { alert } from '../forms/card.ts';
import { drawField, type Field } from '../forms/fields.ts';
import { type Entity, refusalOf } from '../frame/api.ts';
import { badge } from '../frame/format.ts';
import { type Html, html } from '../frame/html.ts';
import { csrfField, layout, thisPage } from '../frame/layout.ts';
import { changedParts, livePart } from '../frame/live.ts';
import type { LiveUpdates, Outcome, Page, Visit } from '../frame/visit.ts';
import { type GroupContext, groupPage, inGroup } from '../namespaces/group.ts';
import { pageNotFound } from '../namespaces/project.ts';
import { failures } from './progress.ts';

/** The possible parents of the group: none, or a group that the user owns. */
async function parentField({ api }: Visit): Promise<Field> {
  const groups = await api.get('/groups', { min_access_level: 50, per_page: 100 });
  const options = groups.map(({ id, full_path }: Entity) => [String(id), full_path] as const);
  return { name: 'parent_id', label: 'Where', kind: 'select', options: [['', 'Top level'], ...options] };
}

async function newPage(visit: Visit, problem?: string): Promise<Outcome> {
  const fields: readonly Field[] = [
    { name: 'name', label: 'Name', required: true },
    { name: 'path', label: 'Path', required: true, hint: 'Part of the URL' },
    await parentField(visit),
  ];
  const drawn = fields.map((field) => drawField(field, undefined));
  const form = html`<form class="card" method="post" action="${visit.base}/import/gitlab_group" enctype="multipart/form-data" data-turbo="false">${csrfField(visit)}${alert(problem)}${drawn}<label>File<input type="file" name="file" required accept=".gz,.tgz,application/gzip"></label><div class="row"><button class="primary">Import group</button></div></form>`;
  const title = 'Import a group file';
  const body = html`<h1>${title}</h1><p class="muted">An export file of a group on this or another server: the group and the groups below it with labels, milestones, boards and epics. Projects have <a href="${visit.base}/import/gitlab_project/new">separate files</a>.</p>${form}`;
  const crumbs = [{ text: 'New group', href: `${visit.base}/groups/new` }, thisPage(visit, title)];
  return { page: layout(visit, { title, crumbs, body }), ...(problem !== undefined && { status: 422 }) };
}

/** The file is streamed to the API, because it may be larger than the memory. */
async function begin(visit: Visit): Promise<Outcome> {
  if (!visit.stream) throw pageNotFound();
  const answer = await visit.api.handOn('/groups/import', visit.stream);
  if (answer.status < 300) {
    const [, id] = /\/groups\/(\d+)\/import$/.exec(String(answer.headers.location)) ?? [];
    const group = await visit.api.get(`/groups/${id}`, { with_projects: false });
    return { redirect: `${visit.base}/groups/${group.full_path}/-/import` };
  }
  const refusal = refusalOf(answer);
  if ([400, 404, 409, 413, 422].includes(answer.status)) return newPage(visit, refusal.reason);
  throw refusal;
}

const running: ReadonlySet<string> = new Set(['created', 'started']);
const kinds: Readonly<Record<string, string>> = { started: 'running', finished: 'success', failed: 'failed' };

function stateOf({ visit, group }: GroupContext, status: Entity): Html {
  const word = status.import_status;
  const over =
    word === 'finished' && html`<p>It is here now: <a href="${visit.base}/${group.full_path}">open the group</a>.</p>`;
  if (word === 'none') return html`<p class="empty">This group was not imported from a file.</p>`;
  return html`<div class="row"><strong>Import</strong>${badge(kinds[word] ?? 'pending', word === 'created' ? 'waiting' : word)}</div>${status.import_error && html`<p class="notice" role="alert">${status.import_error}</p>`}${failures(status)}${over}`;
}

const statusOf = ({ visit, api }: GroupContext): Promise<Entity> => visit.api.get(`${api}/import`);

async function importPage(context: GroupContext): Promise<Outcome> {
  const body = html`<h1>Import</h1>${livePart('import', stateOf(context, await statusOf(context)))}`;
  return inGroup(context, { title: 'Import', tab: '', body });
}

async function watchImport(context: GroupContext): Promise<LiveUpdates> {
  let status = await statusOf(context);
  const parts = changedParts(async () => ({ import: stateOf(context, status) }));
  return {
    groupId: context.group.id,
    every: 2_000,
    async changes() {
      status = await statusOf(context);
      return { ...(await parts()), over: !running.has(status.import_status) };
    },
  };
}

export const groupArchivePages: readonly Page[] = [
  { path: '/import/gitlab_group/new', signedIn: true, show: (visit) => newPage(visit) },
  { method: 'POST', path: '/import/gitlab_group', show: begin },
  groupPage({ path: '/groups/:path/-/import', signedIn: true, show: importPage, watch: watchImport }),
];
