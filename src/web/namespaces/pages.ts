import { commitLine } from '../code/file-frame.ts';
import { splitRef } from '../code/ref.ts';
import { refMenu } from '../code/ref-menu.ts';
import { readmeOf, treeLinks, treeTable } from '../code/tree.ts';
import { encodePath } from '../frame/addresses.ts';
import { type Entity, Refusal } from '../frame/api.ts';
import { badge, count, listOr, relativeTime } from '../frame/format.ts';
import { type Html, html } from '../frame/html.ts';
import { csrfField } from '../frame/layout.ts';
import { livePart } from '../frame/live.ts';
import { renderOne } from '../frame/markdown.ts';
import { pageOf, pager } from '../frame/paging.ts';
import type { LiveUpdates, Outcome, Page, Visit } from '../frame/visit.ts';
import { groupItem, projectItem } from '../home/project-list.ts';
import { importPart, showsImport, watchImport } from '../imports/progress.ts';
import { actionButton } from '../planning/discussion.ts';
import { groupOf, inGroup } from './group.ts';
import { inProject, Moved, type ProjectContext, pageNotFound, projectContextOf } from './project.ts';
import { roleInProject } from './roles.ts';
import { userHome } from './user.ts';

/** The clone URLs; SSH only if the server has it enabled. */
function cloneBox({ visit, project }: ProjectContext): Html {
  const row = (text: string, address: string | undefined) =>
    address && html`<label>${text}<input readonly value="${address}" data-copy="1"></label>`;
  return html`<section class="box"><header>Clone</header><div class="inner">${row('HTTP', project.http_url_to_repo)}${visit.services.config.sshPort !== undefined && row('SSH', project.ssh_url_to_repo)}</div></section>`;
}

function emptyProject(context: ProjectContext): Html {
  const { visit, project, home } = context;
  const address = project.http_url_to_repo;
  const branch = project.default_branch ?? 'main';
  return html`<p>This project is empty. To push an existing folder:</p><pre class="box"><code class="inner">cd existing-folder
git init --initial-branch=${branch}
git remote add origin ${address}
git add .
git commit -m "Initial commit"
git push --set-upstream origin ${branch}</code></pre><p>Or push an existing repository:</p><pre class="box"><code class="inner">git remote add origin ${address}
git push --set-upstream origin --all
git push --set-upstream origin --tags</code></pre>${roleInProject(visit, project) >= 30 && html`<p>Or start in the browser: <a class="button" href="${home}/-/new/${encodePath(branch)}">New file</a></p>`}`;
}

async function filesOf(context: ProjectContext): Promise<Html> {
  const at = await splitRef(context, context.project.default_branch ?? 'HEAD');
  const { table, entries } = await treeTable(context, at);
  return html`<div class="path">${refMenu(context, at, 'tree')}</div>${treeLinks(context, at)}<div class="box"><header>${commitLine(context, at.commit)}</header></div>${table}${await readmeOf(context, at, entries)}`;
}

const maxLanguages = 6;

/** The languages of a project as a bar and as text. */
function languageBar(languages: Readonly<Record<string, unknown>>): Html | false {
  const shares = Object.entries(languages)
    .map(([name, share]) => ({ name, share: Number(share) }))
    .slice(0, maxLanguages);
  if (shares.length === 0) return false;
  let from = 0;
  const parts = shares.map(({ share }, at) => {
    const x = from;
    from += share;
    return html`<rect class="share-${at}" x="${x.toFixed(2)}" y="0" width="${share.toFixed(2)}" height="8"/>`;
  });
  const items = shares.map(
    ({ name, share }, at) =>
      html`<li class="row"><svg class="dot" viewBox="0 0 8 8" aria-hidden="true"><circle class="share-${at}" cx="4" cy="4" r="4"/></svg>${name} <span class="muted">${share.toFixed(1)} %</span></li>`,
  );
  return html`<h2>Languages</h2><svg class="shares" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">${parts}</svg><ul class="languages">${items}</ul>`;
}

const levels: readonly (readonly [level: string, text: string])[] = [
  ['global', 'Global setting'],
  ['watch', 'Watch: all activity'],
  ['participating', 'Participate'],
  ['mention', 'On mention'],
  ['disabled', 'Nothing'],
];

interface OwnPart {
  readonly buttons?: Html;
  readonly notifications?: Html;
}

/** The parts of the page for a signed-in user: star, notification level. */
async function ownPart({ visit, api, home, project }: ProjectContext): Promise<OwnPart> {
  const { user } = visit;
  if (!user) return {};
  const [starrers, settings] = await Promise.all([
    visit.api.maybe(`${api}/starrers`, { search: user.username, per_page: 100 }),
    visit.api.maybe(`${api}/notification_settings`),
  ]);
  const starred = (starrers ?? []).some((one: Entity) => one.user?.id === user.id);
  const star = actionButton(visit, `${home}/-/star`, `${starred ? 'Unstar' : 'Star'} ${project.star_count ?? 0}`, {
    ...(starred && { unstar: 'true' }),
  });
  const option = ([level, text]: (typeof levels)[number]) =>
    html`<option value="${level}"${level === settings?.level && html` selected`}>${text}</option>`;
  const notifications =
    settings &&
    html`<form class="card" method="post" action="${home}/-/notifications">${csrfField(visit)}<label>Notifications<select name="level">${settings.level === 'custom' && html`<option value="custom" selected>Custom</option>`}${levels.map(option)}</select></label><div class="row"><button>Save</button></div></form>`;
  const fork = html`<a class="button" href="${home}/-/forks/new">Fork ${project.forks_count ?? 0}</a>`;
  return { buttons: html`<span class="end row">${star}${fork}</span>`, notifications };
}

function topicLinks({ visit, project }: ProjectContext): Html | false {
  const topics: readonly string[] = project.topics ?? [];
  const link = (name: string) =>
    html`<a class="label" href="${visit.base}/explore/projects/topics/${encodeURIComponent(name)}">${name}</a>`;
  return topics.length > 0 && html`<p class="row">${topics.map(link)}</p>`;
}

const isEmptyProject = (project: Entity) => project.empty_repo === true || !project.default_branch;

/** The main part of a project's home page: files, a running import, or instructions for an empty repository. */
async function mainPart(context: ProjectContext, isEmpty: boolean): Promise<Html> {
  if (showsImport(context)) return importPart(context);
  if (context.project.repository_access_level === 'disabled') return html``;
  return isEmpty ? livePart('empty', emptyProject(context)) : filesOf(context).catch(hidden);
}

async function projectHome(context: ProjectContext): Promise<Outcome> {
  const { visit, api, project } = context;
  const isEmpty = isEmptyProject(project);
  const [own, languages, files] = await Promise.all([
    ownPart(context),
    isEmpty ? undefined : visit.api.maybe(`${api}/languages`),
    mainPart(context, isEmpty),
  ]);
  const side = html`<aside>${cloneBox(context)}${languageBar(languages ?? {})}<p class="row"><a href="${context.home}/-/starrers">${count(project.star_count ?? 0, 'star')}</a><a href="${context.home}/-/forks">${count(project.forks_count ?? 0, 'fork')}</a></p><p class="muted">Created ${relativeTime(project.created_at)}</p><p class="row"><a href="${context.home}/activity">Activity</a>${!isEmpty && html`<a href="${context.home}/-/graphs/${encodePath(project.default_branch ?? 'main')}">Contributors</a>`}${visit.user && project.import_type && html`<a href="${context.home}/-/import">Import</a>`}</p>${own.notifications}</aside>`;
  const body = html`<div class="row"><h1>${project.name}</h1>${badge(project.visibility ?? 'public')}${project.archived && badge('archived')}${own.buttons}</div>${project.forked_from_project && html`<p class="muted">Forked from <a href="${visit.base}/${project.forked_from_project.path_with_namespace}">${project.forked_from_project.name_with_namespace}</a></p>`}${project.description && html`<p>${project.description}</p>`}${topicLinks(context)}<div class="columns"><div>${files}</div>${side}</div>`;
  return inProject(context, { title: project.name, tab: '', body });
}

/** A user may see a project but not its code. */
function hidden(error: unknown): Html {
  if (error instanceof Refusal && error.status < 500)
    return html`<p class="empty">You do not have access to the files of this project.</p>`;
  throw error;
}

async function groupHome(visit: Visit, path: string): Promise<Outcome> {
  const context = await groupOf(visit, path);
  const { api, group, role } = context;
  const [subgroups, projects, text] = await Promise.all([
    visit.api.get(`${api}/subgroups`, { per_page: 100 }),
    visit.api.page(`${api}/projects`, { per_page: 20, page: pageOf(visit), order_by: 'last_activity_at' }),
    renderOne(visit, { group: group.full_path }, group.description ?? ''),
  ]);
  const add =
    role >= 30 &&
    html`<span class="end row"><a class="button" href="${visit.base}/groups/new?parent_id=${group.id}">New subgroup</a><a class="button primary" href="${visit.base}/projects/new?namespace_id=${group.id}">New project</a></span>`;
  const body = html`<div class="row"><h1>${group.name}</h1>${badge(group.visibility)}${add}</div>${group.description && text}${subgroups.length > 0 && html`<h2>Subgroups</h2>${listOr(subgroups, (one) => groupItem(visit, one), '')}`}<h2>Projects</h2>${listOr(projects.body, (one) => projectItem(visit, one), role > 0 ? 'No projects yet.' : 'No visible projects.')}${pager(visit, projects)}`;
  return inGroup(context, { title: group.name, tab: '', body });
}

/** Shows the project, group or user at a path. */
async function context(visit: Visit): Promise<Outcome> {
  const path = visit.params.path ?? '';
  if (path.includes('/')) {
    try {
      return await projectHome(await projectContextOf(visit, path.replace(/\.git$/, '')));
    } catch (error) {
      if (error instanceof Moved) return { redirect: error.location };
      if (!(error instanceof Refusal && error.status === 404)) throw error;
    }
  }
  try {
    return await groupHome(visit, path);
  } catch (error) {
    if (!(error instanceof Refusal && error.status === 404)) throw error;
  }
  if (path.includes('/')) return olderAddress(visit, path);
  const [user] = (await visit.api.maybe('/users', { username: path })) ?? [];
  if (!user) throw pageNotFound();
  return userHome(visit, user);
}

/** Project sections whose URLs formerly had no `/-/`. */
const older =
  /^([^/]+(?:\/[^/]+)+?)\/((?:issues|merge_requests|pipelines|jobs|milestones|labels|boards|commits?|tree|blob|blame|branches|tags|compare|environments|releases|snippets|wikis|graphs|find_file)(?:\/.*)?)$/s;

/** Redirects legacy URLs, which clients and old e-mails still use. */
async function olderAddress(visit: Visit, path: string): Promise<Outcome> {
  const [, project = '', rest = ''] = older.exec(path) ?? [];
  const known = project !== '' && (await visit.api.maybe(`/projects/${encodeURIComponent(project)}`));
  if (!known) throw pageNotFound();
  const query = visit.query.size === 0 ? '' : `?${visit.query}`;
  return { redirect: `${visit.base}/${known.path_with_namespace}/-/${encodePath(rest)}${query}` };
}

/** Only projects have live updates, and only while they are empty or being imported. */
async function watchHome(visit: Visit): Promise<LiveUpdates | undefined> {
  const path = visit.params.path ?? '';
  if (!path.includes('/')) return undefined;
  const project = await projectContextOf(visit, path).catch((error: unknown) => {
    if (error instanceof Refusal || error instanceof Moved) return undefined;
    throw error;
  });
  if (!project) return undefined;
  if (showsImport(project)) return watchImport(project);
  return isEmptyProject(project.project) && roleInProject(visit, project.project) >= 30
    ? watchEmpty(project)
    : undefined;
}

/** Reloads the instructions for an empty repository after the first push. */
function watchEmpty({ visit, api, home, project }: ProjectContext): LiveUpdates {
  return {
    projectId: project.id,
    every: 3_000,
    async changes() {
      if (isEmptyProject(await visit.api.get(api))) return { messages: [] };
      return { messages: [html`<turbo-stream action="go" to="${home}"></turbo-stream>`], over: true };
    },
  };
}

/** These patterns match almost any URL, so they come last. */
export const namespacePages: readonly Page[] = [
  { path: '/groups/:path', show: async (visit) => ({ redirect: `${visit.base}/${visit.params.path}` }) },
  { path: '/:path', show: context, watch: watchHome },
];
