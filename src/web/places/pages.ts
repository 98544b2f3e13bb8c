import { commitLine } from '../code/file-frame.ts';
import { splitRef } from '../code/ref.ts';
import { readmeOf, treeTable } from '../code/tree.ts';
import type { Entity } from '../frame/api.ts';
import { Refusal } from '../frame/api.ts';
import { badge, count, listOr, moment } from '../frame/format.ts';
import { type Html, html } from '../frame/html.ts';
import { layout, proof } from '../frame/layout.ts';
import { renderOne } from '../frame/markdown.ts';
import { pageOf, pager } from '../frame/paging.ts';
import type { Outcome, Page, Visit } from '../frame/visit.ts';
import { groupItem, projectItem } from '../home/project-list.ts';
import { inProject, Moved, missing, type Place, placeOf, projectPage } from './project.ts';

function cloneBox({ project }: Place): Html {
  const row = (text: string, address: string | undefined) =>
    address && html`<label>${text}<input readonly value="${address}" data-copy="1"></label>`;
  return html`<section class="box"><header>Clone</header><div class="inner">${row('HTTP', project.http_url_to_repo)}${row('SSH', project.ssh_url_to_repo)}</div></section>`;
}

function emptyProject({ project }: Place): Html {
  const address = project.http_url_to_repo;
  const branch = project.default_branch ?? 'main';
  return html`<p>There is nothing in this project yet. To push what you have:</p><pre class="box"><code class="inner">cd existing-folder
git init --initial-branch=${branch}
git remote add origin ${address}
git add .
git commit -m "Initial commit"
git push --set-upstream origin ${branch}</code></pre><p>Or to push a repository that you have already:</p><pre class="box"><code class="inner">git remote add origin ${address}
git push --set-upstream origin --all
git push --set-upstream origin --tags</code></pre>`;
}

async function filesOf(place: Place): Promise<Html> {
  const at = await splitRef(place, place.project.default_branch ?? 'HEAD');
  const { table, entries } = await treeTable(place, at);
  return html`<div class="box"><header>${commitLine(place, at.commit)}</header></div>${table}${await readmeOf(place, at, entries)}`;
}

async function projectHome(place: Place): Promise<Outcome> {
  const { visit, api, project } = place;
  const readsCode = project.repository_access_level !== 'disabled';
  const isEmpty = project.empty_repo === true || !project.default_branch;
  const [languages, files] = await Promise.all([
    isEmpty ? undefined : visit.api.maybe(`${api}/languages`),
    !readsCode ? html`` : isEmpty ? emptyProject(place) : filesOf(place).catch(hidden),
  ]);
  const shares = Object.entries(languages ?? {}).map(
    ([name, share]) => html`<li>${name} ${Number(share).toFixed(1)} %</li>`,
  );
  const side = html`<aside>${cloneBox(place)}${shares.length > 0 && html`<h2>Languages</h2><ul>${shares}</ul>`}<p class="muted">${count(project.star_count ?? 0, 'star')} · ${count(project.forks_count ?? 0, 'fork')} · made ${moment(project.created_at)}</p></aside>`;
  const body = html`<div class="row"><h1>${project.name}</h1>${badge(project.visibility ?? 'public')}${project.archived && badge('archived')}</div>${project.description && html`<p>${project.description}</p>`}<div class="columns"><div>${files}</div>${side}</div>`;
  return inProject(place, { title: project.name, tab: '', body });
}

/** Somebody may see a project and not its code. */
function hidden(error: unknown): Html {
  if (error instanceof Refusal && error.status < 500)
    return html`<p class="empty">You may not see the files of this project.</p>`;
  throw error;
}

async function groupHome(visit: Visit, group: Entity): Promise<Outcome> {
  const { api, base } = visit;
  const url = `/groups/${group.id}`;
  const [subgroups, projects, text] = await Promise.all([
    api.get(`${url}/subgroups`, { per_page: 50 }),
    api.page(`${url}/projects`, { per_page: 20, page: pageOf(visit), order_by: 'last_activity_at' }),
    renderOne(visit, undefined, group.description ?? ''),
  ]);
  const parts: string[] = group.full_path.split('/');
  const crumbs = parts.map((part, at) => ({ text: part, href: `${base}/${parts.slice(0, at + 1).join('/')}` }));
  const body = html`<div class="row"><h1>${group.name}</h1>${badge(group.visibility)}<a class="end" href="${base}/groups/${group.full_path}/-/issues">Issues</a><a href="${base}/groups/${group.full_path}/-/group_members">Members</a></div>${group.description && text}${subgroups.length > 0 && html`<h2>Subgroups</h2>${listOr(subgroups, (one) => groupItem(visit, one), '')}`}<h2>Projects</h2>${listOr(projects.body, (one) => projectItem(visit, one), 'No project here that you may see.')}${pager(visit, projects)}`;
  return { page: layout(visit, { title: group.full_name, crumbs, body }) };
}

async function userHome(visit: Visit, user: Entity): Promise<Outcome> {
  const { api } = visit;
  const [profile, projects] = await Promise.all([
    api.maybe(`/users/${user.id}`),
    api.page(`/users/${user.id}/projects`, { per_page: 20, page: pageOf(visit), order_by: 'last_activity_at' }),
  ]);
  const body = html`<h1>${user.name}</h1><p class="muted">@${user.username}</p>${profile?.bio && html`<p>${profile.bio}</p>`}<h2>Projects</h2>${listOr(projects.body, (one) => projectItem(visit, one), 'No project that you may see.')}${pager(visit, projects)}`;
  return { page: layout(visit, { title: user.name, body }) };
}

async function findGroup({ api }: Visit, path: string): Promise<Entity | undefined> {
  return api.maybe(`/groups/${encodeURIComponent(path)}`, { with_projects: false });
}

/** `/somewhere`: a project, a group or a user, whichever there is. */
async function place(visit: Visit): Promise<Outcome> {
  const path = visit.params.path ?? '';
  if (path.includes('/')) {
    try {
      return await projectHome(await placeOf(visit, path.replace(/\.git$/, '')));
    } catch (error) {
      if (error instanceof Moved) return { redirect: error.location };
      if (!(error instanceof Refusal && error.status === 404)) throw error;
    }
  }
  const group = await findGroup(visit, path);
  if (group) return groupHome(visit, group);
  const [user] = path.includes('/') ? [] : ((await visit.api.maybe('/users', { username: path })) ?? []);
  if (!user) throw missing();
  return userHome(visit, user);
}

async function membersPage(here: Place): Promise<Outcome> {
  const { visit, api } = here;
  const answer = await visit.api.page(`${api}/members/all`, { per_page: 50, page: pageOf(visit) });
  return inProject(here, {
    title: 'Members',
    tab: 'project_members',
    body: html`<h1>Members</h1>${memberList(visit, answer.body)}${pager(visit, answer)}`,
  });
}

const roles: Readonly<Record<number, string>> = {
  5: 'minimal access',
  10: 'guest',
  15: 'planner',
  20: 'reporter',
  30: 'developer',
  40: 'maintainer',
  50: 'owner',
};

function memberList({ base }: Visit, members: readonly Entity[]): Html {
  return listOr(
    members,
    (one) =>
      html`<li class="row"><a class="main" href="${base}/${one.username}">${one.name}</a><span class="muted">@${one.username}</span><span class="end">${roles[one.access_level] ?? one.access_level}</span></li>`,
    'No member that you may see.',
  );
}

async function groupMembers(visit: Visit): Promise<Outcome> {
  const group = await findGroup(visit, visit.params.path ?? '');
  if (!group) throw missing();
  const answer = await visit.api.page(`/groups/${group.id}/members/all`, { per_page: 50, page: pageOf(visit) });
  const crumbs = [{ text: group.full_name, href: `${visit.base}/${group.full_path}` }];
  return {
    page: layout(visit, {
      title: 'Members',
      crumbs,
      body: html`<h1>Members</h1>${memberList(visit, answer.body)}${pager(visit, answer)}`,
    }),
  };
}

async function newProject(visit: Visit, problem?: string): Promise<Outcome> {
  const spaces = await visit.api.get('/namespaces', { per_page: 100 });
  const chosen = visit.form.get('namespace_id') ?? visit.query.get('namespace_id') ?? '';
  const option = (space: Entity) =>
    html`<option value="${space.id}"${String(space.id) === chosen && html` selected`}>${space.full_path}</option>`;
  const body = html`<form class="card" method="post" action="${visit.base}/projects">${proof(visit)}<h1>New project</h1>${problem !== undefined && html`<p class="notice" role="alert">${problem}</p>`}<label>Name<input name="name" required value="${visit.form.get('name') ?? ''}"></label><label>Where<select name="namespace_id">${spaces.map(option)}</select></label><label>Description<input name="description" value="${visit.form.get('description') ?? ''}"></label><label>Who may see it<select name="visibility"><option value="private">Private: its members</option><option value="internal">Internal: everyone who is signed in</option><option value="public">Public: everyone</option></select></label><button class="primary">Create project</button></form>`;
  return { page: layout(visit, { title: 'New project', body }), ...(problem !== undefined && { status: 422 }) };
}

async function createProject(visit: Visit): Promise<Outcome> {
  const { form, api, base } = visit;
  const sent = Object.fromEntries(
    ['name', 'namespace_id', 'description', 'visibility'].map((name) => [name, form.get(name)]),
  );
  const answer = await api.ask('POST', '/projects', sent);
  if (answer.status === 201) return { redirect: `${base}/${answer.body.path_with_namespace}` };
  if (answer.status === 400) return newProject(visit, refusalText(answer.body));
  throw new Refusal(answer.status, refusalText(answer.body));
}

const refusalText = (body: Entity) => {
  const said = body?.message ?? body?.error ?? '';
  return typeof said === 'string'
    ? said
    : Object.entries(said)
        .map(([name, texts]) => `${name} ${String(texts)}`)
        .join('; ');
};

export const newProjectPages: readonly Page[] = [
  { path: '/projects/new', signedIn: true, show: (visit) => newProject(visit) },
  { method: 'POST', path: '/projects', show: createProject },
];

/** These fit nearly any address: they stand last. */
export const placePages: readonly Page[] = [
  projectPage({ path: '/:project/-/project_members', show: membersPage }),
  { path: '/groups/:path/-/group_members', show: groupMembers },
  { path: '/groups/:path', show: async (visit) => ({ redirect: `${visit.base}/${visit.params.path}` }) },
  { path: '/:path', show: place },
];
