import { trimTrailing } from '../../platform/trim.ts';
import { linePage, linePager, plainTable } from '../code/line-pages.ts';
import { encodePath } from '../frame/addresses.ts';
import type { Entity } from '../frame/api.ts';
import { listOr, size } from '../frame/format.ts';
import { type Html, html } from '../frame/html.ts';
import { pageOf, pager } from '../frame/paging.ts';
import type { Outcome, Page } from '../frame/visit.ts';
import { inProject, type ProjectContext, pageNotFound, projectPage } from '../namespaces/project.ts';
import { actionButton } from '../planning/discussion.ts';
import { crumbOfPipeline } from './job.ts';

const maxShown = 500_000;
const pictures = /\.(png|jpe?g|gif|webp|bmp|ico|avif)$/i;

const pageOfJob = ({ home, visit }: ProjectContext) => `${home}/-/jobs/${visit.params.id}`;
const apiOfJob = ({ api, visit }: ProjectContext) => `${api}/jobs/${visit.params.id}/artifacts`;

/** Breadcrumb links to a directory or file of the archive. */
function pathLinks(context: ProjectContext, job: Entity, path: string): Html {
  const page = pageOfJob(context);
  const parts = path.split('/').filter((part) => part !== '');
  const links = parts.map(
    (part, at) =>
      html` / ${at === parts.length - 1 ? html`<strong>${part}</strong>` : html`<a href="${page}/artifacts/browse/${encodePath(parts.slice(0, at + 1).join('/'))}">${part}</a>`}`,
  );
  return html`<p class="path"><a href="${page}">${job.name}</a> / <a href="${page}/artifacts/browse">Artifacts</a>${links}</p>`;
}

async function browsePage(context: ProjectContext): Promise<Outcome> {
  const { visit, api } = context;
  const path = trimTrailing(visit.params.file ?? '', '/');
  const page = pageOfJob(context);
  const [job, tree] = await Promise.all([
    visit.api.get(`${api}/jobs/${visit.params.id}`),
    visit.api.page(`${apiOfJob(context)}/tree`, { path, per_page: 100, page: pageOf(visit) }),
  ]);
  const item = (entry: Entity) => {
    const isFolder = entry.type === 'directory' || entry.type === 'tree';
    const kind = isFolder ? 'browse' : 'file';
    return html`<li class="row"><a class="main" href="${page}/artifacts/${kind}/${encodePath(entry.path.replace(/\/$/, ''))}">${entry.name}${isFolder && '/'}</a><span class="end muted">${entry.size !== undefined && size(entry.size)}</span></li>`;
  };
  const keep = visit.user && job.artifacts_expire_at && actionButton(visit, `${page}/artifacts/keep`, 'Keep artifacts');
  const body = html`<h1>Artifacts</h1>${pathLinks(context, job, path)}<p class="row"><a href="${visit.base}/api/v4${apiOfJob(context)}">Download all</a>${job.artifacts_expire_at && html`<span class="muted">Expires on ${job.artifacts_expire_at.slice(0, 10)}</span>`}${keep}</p>${listOr(tree.body, item, 'This directory is empty.')}${pager(visit, tree)}`;
  return inProject(context, {
    title: `Artifacts of ${job.name}`,
    crumb: 'Artifacts',
    tab: 'pipelines',
    within: crumbsOfJob(context, job),
    body,
  });
}

async function contentOf(context: ProjectContext, path: string, bytes: number | undefined, raw: string): Promise<Html> {
  if (pictures.test(path)) return html`<div class="inner picture"><img src="${raw}" alt="${path}"></div>`;
  const link = html`<a href="${raw}">Open raw</a>`;
  if (bytes !== undefined && bytes > maxShown)
    return html`<p class="inner">This file is too large to display (${size(bytes)}). ${link}.</p>`;
  const answer = await context.visit.api.page(`${apiOfJob(context)}/${encodePath(path)}`);
  if (answer.bytes.length > maxShown) return html`<p class="inner">This file is too large to display. ${link}.</p>`;
  if (answer.bytes.subarray(0, 8000).includes(0)) return html`<p class="inner">This is a binary file. ${link}.</p>`;
  const text = answer.bytes.toString('utf8');
  const lines = text.replace(/\n$/, '').split('\n');
  const shown = linePage(context.visit, lines.length, text.length);
  return html`${plainTable(lines.slice(shown.first - 1, shown.last), shown.first)}${linePager(context.visit, shown)}`;
}

/** Finds the entry of a file in the listing of its directory, which has its size. */
async function entryOf(context: ProjectContext, path: string): Promise<Entity> {
  const folder = path.split('/').slice(0, -1).join('/');
  for (let page = 1; page <= 50; page += 1) {
    const answer = await context.visit.api.page(`${apiOfJob(context)}/tree`, { path: folder, per_page: 100, page });
    const entry = answer.body.find((one: Entity) => one.path === path);
    if (entry) return entry;
    if (String(answer.headers['x-next-page'] ?? '') === '') break;
  }
  throw pageNotFound();
}

const crumbsOfJob = (context: ProjectContext, job: Entity) => [
  crumbOfPipeline(context, job),
  { text: job.name, href: `${context.home}/-/jobs/${job.id}` },
];

async function filePage(context: ProjectContext): Promise<Outcome> {
  const { visit, api } = context;
  const path = visit.params.file ?? '';
  const raw = `${visit.base}/api/v4${apiOfJob(context)}/${encodePath(path)}`;
  const [job, entry] = await Promise.all([visit.api.get(`${api}/jobs/${visit.params.id}`), entryOf(context, path)]);
  const body = html`<h1 class="hidden">${path}</h1>${pathLinks(context, job, path)}<section class="box"><header class="row"><span>${entry.size !== undefined && size(entry.size)}</span><a class="end" href="${raw}">Raw</a></header>${await contentOf(context, path, entry.size, raw)}</section>`;
  return inProject(context, { title: path, tab: 'pipelines', within: crumbsOfJob(context, job), body });
}

async function keep(context: ProjectContext): Promise<Outcome> {
  await context.visit.api.send('POST', `${apiOfJob(context)}/keep`);
  return { redirect: `${pageOfJob(context)}/artifacts/browse` };
}

export const artifactPages: readonly Page[] = [
  projectPage({ path: '/:project/-/jobs/:id/artifacts/browse', signedIn: true, show: browsePage }),
  projectPage({ path: '/:project/-/jobs/:id/artifacts/browse/*file', signedIn: true, show: browsePage }),
  projectPage({ path: '/:project/-/jobs/:id/artifacts/file/*file', signedIn: true, show: filePage }),
  projectPage({ method: 'POST', path: '/:project/-/jobs/:id/artifacts/keep', show: keep }),
];
