import { card } from '../forms/card.ts';
import { type Field, readFields, submittedValues } from '../forms/fields.ts';
import { type Entity, refusalOf } from '../frame/api.ts';
import { type Html, html } from '../frame/html.ts';
import type { Outcome, Page } from '../frame/visit.ts';
import { inProject, type ProjectContext, projectPage } from '../namespaces/project.ts';
import { roleInProject } from '../namespaces/roles.ts';

/** Actions that re-apply the change of a commit. */
const acts = {
  cherry_pick: {
    title: 'Cherry-pick',
    button: 'Cherry-pick',
    stem: 'cherry-pick',
    description: 'Applies the change of the commit to another branch.',
  },
  revert: {
    title: 'Revert',
    button: 'Revert',
    stem: 'revert',
    description: 'Creates a commit that undoes the change.',
  },
} as const;
type Act = keyof typeof acts;

const fields: readonly Field[] = [
  { name: 'branch', label: 'Branch', required: true },
  {
    name: 'own_branch',
    label: 'With a merge request',
    kind: 'check',
    hint: 'Commits to a new branch and opens a merge request',
  },
];

/** Links to cherry-pick and revert, for users who may push. */
export function pickLinks({ visit, home, project }: ProjectContext, sha: string, branch?: string): Html | false {
  if (project.archived || roleInProject(visit, project) < 30) return false;
  const search = branch === undefined ? '' : `?${new URLSearchParams({ branch }).toString()}`;
  const link = (act: Act) =>
    html`<a class="button" href="${home}/-/commit/${encodeURIComponent(sha)}/${act}${search}">${acts[act].title}</a>`;
  return html`<span class="row">${link('cherry_pick')}${link('revert')}</span>`;
}

async function pickPage(context: ProjectContext, act: Act, problem?: string): Promise<Outcome> {
  const { visit, api, home, project } = context;
  const url = `${api}/repository/commits/${encodeURIComponent(visit.params.sha ?? '')}`;
  const commit: Entity = await visit.api.get(url, { stats: false });
  const { title, button, description } = acts[act];
  const branch = visit.query.get('branch') ?? project.default_branch ?? '';
  const form = card(visit, {
    action: `${home}/-/commit/${commit.id}/${act}`,
    fields,
    values: problem === undefined ? { branch, own_branch: true } : submittedValues(fields, visit.form),
    button,
    problem,
  });
  const body = html`<h1>${title}: ${commit.title}</h1><p class="muted">Commit <a class="sha" href="${home}/-/commit/${commit.id}">${commit.short_id}</a>. ${description}</p>${form}`;
  const within = [{ text: commit.short_id, href: `${home}/-/commit/${commit.id}` }];
  const status = problem !== undefined && { status: 422 };
  return inProject(context, {
    title: `${title} ${commit.short_id}`,
    crumb: title,
    within,
    tab: 'commits',
    body,
    ...status,
  });
}

const problems = [400, 403, 404, 409, 422];

async function pick(context: ProjectContext, act: Act): Promise<Outcome> {
  const { visit, api, home } = context;
  const sha = visit.params.sha ?? '';
  const { branch: target, own_branch: own } = readFields(fields, visit.form);
  const again = (problem: string) => pickPage(context, act, problem);
  if (typeof target !== 'string') return again('Select a branch.');
  const branch = own ? `${acts[act].stem}-${sha.slice(0, 8)}-${Date.now().toString(36)}` : target;
  const branches = `${api}/repository/branches`;
  if (own) {
    const created = await visit.api.ask('POST', branches, { branch, ref: target });
    if (problems.includes(created.status)) return again(refusalOf(created).reason);
    if (created.status >= 300) throw refusalOf(created);
  }
  const answer = await visit.api.ask('POST', `${api}/repository/commits/${encodeURIComponent(sha)}/${act}`, { branch });
  if (answer.status < 300)
    return { redirect: own ? proposal(home, branch, target) : `${home}/-/commit/${answer.body.id}` };
  // Delete the new branch, since the commit failed.
  if (own) await visit.api.ask('DELETE', `${branches}/${encodeURIComponent(branch)}`);
  if (problems.includes(answer.status)) return again(refusalOf(answer).reason);
  throw refusalOf(answer);
}

function proposal(home: string, source: string, target: string): string {
  const search = { 'merge_request[source_branch]': source, 'merge_request[target_branch]': target };
  return `${home}/-/merge_requests/new?${new URLSearchParams(search).toString()}`;
}

const pagesOf = (act: Act): Page[] => [
  projectPage({
    path: `/:project/-/commit/:sha/${act}`,
    signedIn: true,
    show: (context) => pickPage(context, act),
  }),
  projectPage({ method: 'POST', path: `/:project/-/commit/:sha/${act}`, show: (context) => pick(context, act) }),
];

export const pickPages: readonly Page[] = [...pagesOf('cherry_pick'), ...pagesOf('revert')];
