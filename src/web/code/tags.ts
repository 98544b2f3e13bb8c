import { card, submit } from '../forms/card.ts';
import { type Field, readFields, submittedValues } from '../forms/fields.ts';
import { encodePath } from '../frame/addresses.ts';
import type { Entity } from '../frame/api.ts';
import { atomFeed } from '../frame/atom.ts';
import { badge, listOr } from '../frame/format.ts';
import { type Html, html } from '../frame/html.ts';
import { pager } from '../frame/paging.ts';
import type { Outcome, Page } from '../frame/visit.ts';
import { inProject, type ProjectContext, projectPage, sectionTitle } from '../namespaces/project.ts';
import { actionButton } from '../planning/discussion.ts';
import { commitLine } from './file-frame.ts';
import { filterForm, listQuery, mayPush } from './refs.ts';

const newTag: readonly Field[] = [
  { name: 'tag_name', label: 'Name', required: true },
  { name: 'ref', label: 'From', required: true, hint: 'A branch, a tag or a commit' },
  { name: 'message', label: 'Message', kind: 'area', hint: 'Makes an annotated tag' },
];

async function tagsPage(context: ProjectContext, problem?: string): Promise<Outcome> {
  const { visit, api, home, project } = context;
  const answer = await visit.api.page(`${api}/repository/tags`, listQuery(context));
  if (visit.query.get('format') === 'atom') {
    const entries = answer.body.map((tag: Entity) => ({
      href: `${home}/-/tags/${encodePath(tag.name)}`,
      title: tag.name,
      at: tag.created_at ?? tag.commit?.committed_date ?? new Date(0).toISOString(),
      author: tag.commit?.author_name ?? '',
      text: tag.message,
    }));
    return atomFeed(visit, { title: `${project.name}: tags`, href: `${home}/-/tags`, entries });
  }
  const item = (tag: Entity) =>
    html`<li><div class="row"><a class="main" href="${home}/-/tags/${encodePath(tag.name)}"><strong>${tag.name}</strong></a>${tag.protected && badge('protected')}${tag.release && html`<a href="${home}/-/releases/${encodeURIComponent(tag.name)}">Release</a>`}</div>${tag.message && html`<p>${tag.message}</p>`}${tag.commit && commitLine(context, tag.commit)}</li>`;
  const form = card(visit, {
    action: `${home}/-/tags`,
    title: 'New tag',
    fields: newTag,
    values: problem === undefined ? { ref: project.default_branch } : submittedValues(newTag, visit.form),
    button: 'Create tag',
    problem,
  });
  const body = html`${sectionTitle('Tags', html`<a href="${home}/-/tags?format=atom">Feed</a>`)}${filterForm(context, 'Tag')}${listOr(answer.body, item, 'No tags.')}${pager(visit, answer)}${mayPush(context) && project.empty_repo !== true && form}`;
  return inProject(context, { title: 'Tags', tab: 'commits', body, ...(problem !== undefined && { status: 422 }) });
}

async function createTag(context: ProjectContext): Promise<Outcome> {
  const { visit, api, home } = context;
  return submit(visit, {
    method: 'POST',
    path: `${api}/repository/tags`,
    sent: readFields(newTag, visit.form),
    to: ({ name }) => `${home}/-/tags/${encodePath(name)}`,
    again: (problem) => tagsPage(context, problem),
  });
}

async function removeTag(context: ProjectContext): Promise<Outcome> {
  const { visit, api, home } = context;
  const tag = visit.form.get('tag') ?? '';
  await visit.api.send('DELETE', `${api}/repository/tags/${encodeURIComponent(tag)}`);
  return { redirect: `${home}/-/tags`, notice: `Tag ${tag} deleted.` };
}

function removal(context: ProjectContext, tag: Entity): Html {
  const loss = tag.release ? 'Its release is deleted too.' : 'Commits that are on no branch or other tag are lost.';
  return html`<details><summary>Delete</summary><p>${loss}</p>${actionButton(context.visit, `${context.home}/-/tags/remove`, 'Delete the tag', { tag: tag.name })}</details>`;
}

async function tagPage(context: ProjectContext): Promise<Outcome> {
  const { visit, api, home } = context;
  const tag = await visit.api.get(`${api}/repository/tags/${encodeURIComponent(visit.params.tag ?? '')}`);
  const body = html`<h1>${tag.name}</h1>${tag.message && html`<pre class="box"><code class="inner">${tag.message}</code></pre>`}${tag.commit && commitLine(context, tag.commit)}<p class="row"><a href="${home}/-/tree/${encodePath(tag.name)}">Browse files</a>${tag.release && html`<a href="${home}/-/releases/${encodeURIComponent(tag.name)}">Release</a>`}</p>${mayPush(context) && removal(context, tag)}`;
  return inProject(context, { title: tag.name, tab: 'commits', body });
}

export const tagPages: readonly Page[] = [
  projectPage({ path: '/:project/-/tags', show: (context) => tagsPage(context) }),
  projectPage({ method: 'POST', path: '/:project/-/tags', show: createTag }),
  projectPage({ method: 'POST', path: '/:project/-/tags/remove', show: removeTag }),
  projectPage({ path: '/:project/-/tags/*tag', show: tagPage }),
];
