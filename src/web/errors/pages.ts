import { type Entity, refusalOf } from '../frame/api.ts';
import { badge, count, listOr, relativeTime } from '../frame/format.ts';
import { type Html, html, safeUrl } from '../frame/html.ts';
import { pageOf, pager, withQuery } from '../frame/paging.ts';
import type { Outcome, Page } from '../frame/visit.ts';
import { inProject, type ProjectContext, pageNotFound, projectPage } from '../namespaces/project.ts';
import { roleInProject } from '../namespaces/roles.ts';
import { actionButton } from '../planning/discussion.ts';
import { viewLinks } from '../planning/filters.ts';

const statuses = ['unresolved', 'resolved', 'ignored'];

/** Bar chart of an error's frequency. */
function bars(frequency: readonly (readonly [number, number])[], text: string): Html {
  const most = Math.max(1, ...frequency.map(([, times]) => times));
  const drawn = frequency.map(([, times], at) => {
    const height = Math.round((times / most) * 28);
    return html`<rect x="${at * 5}" y="${30 - height}" width="4" height="${height}" fill="currentColor"/>`;
  });
  return html`<svg class="bars" width="${frequency.length * 5}" height="30" role="img" aria-label="${text}">${drawn}</svg>`;
}

const mayAdminister = ({ visit, project }: ProjectContext) => roleInProject(visit, project) >= 40;

/** Shown while error tracking is disabled, with the button that enables it. */
function offPage(context: ProjectContext): Outcome {
  const { visit, home } = context;
  const switchOn = mayAdminister(context) && actionButton(visit, `${home}/-/error_tracking`, 'Switch it on');
  const body = html`<h1>Errors</h1><p class="empty">Error tracking is off. Once enabled, applications report errors here with any Sentry client. ${switchOn}</p>`;
  return inProject(context, { title: 'Errors', tab: 'error_tracking', body });
}

/** Enables error tracking and creates a first client key. */
async function switchOn({ visit, api, home }: ProjectContext): Promise<Outcome> {
  await visit.api.send('PUT', `${api}/error_tracking/settings`, { active: true, integrated: true });
  const keys = await visit.api.get(`${api}/error_tracking/client_keys`, { per_page: 1 });
  if (keys.length === 0) await visit.api.send('POST', `${api}/error_tracking/client_keys`);
  return { redirect: `${home}/-/error_tracking` };
}

/** The DSNs for client applications; for users who can administer the project. */
async function addresses(context: ProjectContext): Promise<Html | false> {
  if (!mayAdminister(context)) return false;
  const keys = (await context.visit.api.maybe(`${context.api}/error_tracking/client_keys`, { per_page: 20 })) ?? [];
  const active = keys.filter((key: Entity) => key.active);
  const draw = ({ sentry_dsn: dsn }: Entity) => html`<li><code data-copy="${dsn}">${dsn}</code></li>`;
  return (
    active.length > 0 &&
    html`<details><summary>Client configuration</summary><p>Configure the Sentry client with this DSN (<code>dsn</code>):</p><ul>${active.map(draw)}</ul></details>`
  );
}

async function listPage(context: ProjectContext): Promise<Outcome> {
  const { visit, api, home } = context;
  const requested = visit.query.get('status') ?? 'unresolved';
  const query = {
    status: statuses.includes(requested) ? requested : 'unresolved',
    search: visit.query.get('search'),
    per_page: 20,
    page: pageOf(visit),
  };
  const answer = await visit.api.ask('GET', `${api}/error_tracking/errors`, query);
  // The parameters are valid, so 400 can only mean that error tracking is disabled.
  if (answer.status === 400) return offPage(context);
  if (answer.status >= 300) throw refusalOf(answer);
  const item = (one: Entity) =>
    html`<li><div class="row"><a class="main" href="${home}/-/error_tracking/${one.id}/details"><strong>${one.title}</strong></a>${badge(one.status)}<span class="end">${bars(one.frequency ?? [], `${one.count} events`)}</span></div><p class="muted">${one.culprit} · ${count(one.count, 'event')} · ${count(one.user_count, 'user')} · last ${relativeTime(one.last_seen)}</p></li>`;
  const links = statuses.map((status) => [status, withQuery(visit, { status, page: undefined })] as const);
  const body = html`<h1>Errors</h1>${viewLinks(links, query.status)}${listOr(answer.body, item, 'No matching errors. Applications report errors with any Sentry client.')}${pager(visit, answer)}${await addresses(context)}`;
  return inProject(context, { title: 'Errors', tab: 'error_tracking', body });
}

function stack(entries: readonly Entity[]): Html {
  const frame = (entry: Entity) => {
    const name = `${entry.filename ?? entry.abs_path ?? entry.module ?? '?'}:${entry.lineNo ?? '?'}`;
    const link = entry.source_url ? html`<a href="${safeUrl(entry.source_url)}">${name}</a>` : name;
    const lines = (entry.context ?? []).map(
      ([number, text]: [number, string]) =>
        html`<tr${number === entry.lineNo && html` class="del"`}><td class="num">${number}</td><td>${text}</td></tr>`,
    );
    return html`<li><p>${link} in <code>${entry.function ?? '?'}</code></p>${lines.length > 0 && html`<div class="scroll"><table class="code">${lines}</table></div>`}</li>`;
  };
  return html`<ul class="list">${[...entries].reverse().map(frame)}</ul>`;
}

async function detailPage(context: ProjectContext): Promise<Outcome> {
  const { visit, api, home } = context;
  const url = `${api}/error_tracking/errors/${visit.params.id}`;
  const [error, trace] = await Promise.all([visit.api.get(url), visit.api.maybe(`${url}/stack_trace`)]);
  const change = (status: string, text: string) =>
    error.status !== status && actionButton(visit, `${home}/-/error_tracking/${error.id}/status`, text, { status });
  const buttons =
    visit.user &&
    html`<span class="end row">${change('resolved', 'Resolve')}${change('ignored', 'Ignore')}${change('unresolved', 'Open again')}</span>`;
  const body = html`<div class="row"><h1>${error.title}</h1>${badge(error.status)}${buttons}</div><p>${error.message}</p><p class="muted">${error.culprit} · ${count(error.count, 'event')} · ${count(error.user_count, 'user')} · first ${relativeTime(error.first_seen)} · last ${relativeTime(error.last_seen)}</p><p>${bars(error.frequency ?? [], 'The last 24 hours')}</p>${error.gitlab_issue && html`<p><a href="${safeUrl(error.gitlab_issue)}">Issue</a></p>`}${trace && html`<h2>Stack</h2>${stack(trace.stack_trace_entries)}`}`;
  return inProject(context, { title: error.title, tab: 'error_tracking', body });
}

async function changeStatus({ visit, api, home }: ProjectContext): Promise<Outcome> {
  const status = visit.form.get('status') ?? '';
  if (!statuses.includes(status)) throw pageNotFound();
  await visit.api.send('PUT', `${api}/error_tracking/errors/${visit.params.id}`, { status });
  return { redirect: `${home}/-/error_tracking/${visit.params.id}/details` };
}

export const errorPages: readonly Page[] = [
  projectPage({ path: '/:project/-/error_tracking', show: listPage }),
  projectPage({ method: 'POST', path: '/:project/-/error_tracking', show: switchOn }),
  projectPage({ path: '/:project/-/error_tracking/:id', show: detailPage }),
  projectPage({ path: '/:project/-/error_tracking/:id/details', show: detailPage }),
  projectPage({ method: 'POST', path: '/:project/-/error_tracking/:id/status', show: changeStatus }),
];
