import { card, submit } from '../forms/card.ts';
import { type Field, readFields, submittedValues } from '../forms/fields.ts';
import { encodePath } from '../frame/addresses.ts';
import type { Entity } from '../frame/api.ts';
import { badge, listOr } from '../frame/format.ts';
import { type Html, html } from '../frame/html.ts';
import { pageOf, pager } from '../frame/paging.ts';
import type { Outcome } from '../frame/visit.ts';
import { inProject, type ProjectContext, sectionTitle } from '../namespaces/project.ts';
import { roleInProject } from '../namespaces/roles.ts';
import { actionButton } from '../planning/discussion.ts';
import { commitLine } from './file-frame.ts';

export function filterForm({ visit }: ProjectContext, what: string): Html {
  return html`<form class="filters" action="${visit.base}${visit.path}"><label>${what}<input type="search" name="search" value="${visit.query.get('search') ?? ''}"></label><button>Filter</button></form>`;
}

export const listQuery = ({ visit }: ProjectContext) => ({
  search: visit.query.get('search'),
  per_page: 50,
  page: pageOf(visit),
});

export const mayPush = ({ visit, project }: ProjectContext) => roleInProject(visit, project) >= 30 && !project.archived;

const newBranch: readonly Field[] = [
  { name: 'branch', label: 'Name', required: true },
  { name: 'ref', label: 'From', required: true, hint: 'A branch, a tag or a commit' },
];

/** The form that deletes a branch; not for default and protected branches. */
function removal({ visit, home }: ProjectContext, branch: Entity): Html {
  return html`<details><summary>Delete</summary><p>Commits that are on no other branch or tag are lost.</p>${actionButton(visit, `${home}/-/branches/remove`, 'Delete the branch', { branch: branch.name }, { label: `Delete the branch ${branch.name}` })}</details>`;
}

export async function branchesPage(context: ProjectContext, problem?: string): Promise<Outcome> {
  const { visit, api, home, project } = context;
  const answer = await visit.api.page(`${api}/repository/branches`, { ...listQuery(context), sort: 'updated_desc' });
  const item = (branch: Entity) => {
    const name = encodePath(branch.name);
    const marks = [
      branch.default && badge('default'),
      branch.protected && badge('protected'),
      branch.merged && badge('merged'),
    ];
    const compare =
      !branch.default &&
      html`<a href="${home}/-/compare/${encodePath(project.default_branch ?? '')}...${name}">Compare</a>`;
    return html`<li><div class="row"><a class="main" href="${home}/-/tree/${name}"><strong>${branch.name}</strong></a>${marks}<span class="end">${compare}</span></div>${commitLine(context, branch.commit)}${mayPush(context) && !branch.default && !branch.protected && removal(context, branch)}</li>`;
  };
  const form = card(visit, {
    action: `${home}/-/branches`,
    title: 'New branch',
    fields: newBranch,
    values: problem === undefined ? { ref: project.default_branch } : submittedValues(newBranch, visit.form),
    button: 'Create branch',
    problem,
  });
  const body = html`${sectionTitle('Branches')}${filterForm(context, 'Branch')}${listOr(answer.body, item, 'No branches.')}${pager(visit, answer)}${mayPush(context) && project.empty_repo !== true && form}`;
  return inProject(context, { title: 'Branches', tab: 'commits', body, ...(problem !== undefined && { status: 422 }) });
}

export async function createBranch(context: ProjectContext): Promise<Outcome> {
  const { visit, api, home } = context;
  return submit(visit, {
    method: 'POST',
    path: `${api}/repository/branches`,
    sent: readFields(newBranch, visit.form),
    to: ({ name }) => `${home}/-/tree/${encodePath(name)}`,
    again: (problem) => branchesPage(context, problem),
  });
}

export async function removeBranch({ visit, api, home }: ProjectContext): Promise<Outcome> {
  const branch = encodeURIComponent(visit.form.get('branch') ?? '');
  await visit.api.send('DELETE', `${api}/repository/branches/${branch}`);
  return { redirect: `${home}/-/branches` };
}
