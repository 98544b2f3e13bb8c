import { hiddenFields } from '../forms/card.ts';
import { encodePath } from '../frame/addresses.ts';
import type { Entity } from '../frame/api.ts';
import { type Html, html } from '../frame/html.ts';
import type { Outcome } from '../frame/visit.ts';
import { inProject, type ProjectContext } from '../namespaces/project.ts';
import type { PathAtRef } from './ref.ts';

const views = ['tree', 'blob', 'blame', 'commits'] as const;
export type RefView = (typeof views)[number];

/** The ref selector, which keeps the path. Its list is loaded when it is opened. */
export function refMenu({ home }: ProjectContext, { ref, path }: PathAtRef, view: RefView): Html {
  const address = `${home}/-/refs?${new URLSearchParams({ view, ref, path })}`;
  return html`<details class="menu refs"><summary><span class="hidden">Branch or tag: </span>${ref}</summary><div><turbo-frame id="refs" src="${address}" loading="lazy" target="_top"><a href="${address}">Branches and tags</a></turbo-frame></div></details>`;
}

const maxShown = 20;

/** Lists the branches and tags for the ref selector, in the menu or as a page of its own. */
export async function refsPage(context: ProjectContext): Promise<Outcome> {
  const { visit, api, home } = context;
  const [ref, path, search] = ['ref', 'path', 'search'].map((name) => visit.query.get(name) ?? '');
  const view = views.find((one) => one === visit.query.get('view')) ?? 'tree';
  const query = { search, per_page: maxShown };
  const [branches, tags] = await Promise.all([
    visit.api.get(`${api}/repository/branches`, { ...query, sort: 'updated_desc' }),
    visit.api.get(`${api}/repository/tags`, query),
  ]);
  const link = ({ name }: Entity) =>
    html`<li><a href="${home}/-/${view}/${encodePath([name, path].filter(Boolean).join('/'))}"${name === ref && html` aria-current="true"`}>${name}</a></li>`;
  const list = (title: string, found: readonly Entity[], all: string) =>
    found.length > 0 &&
    html`<h2>${title}</h2><ul>${found.map(link)}</ul>${found.length === maxShown && html`<p><a href="${home}/-/${all}">All ${all}</a></p>`}`;
  const form = html`<form action="${home}/-/refs" data-turbo-frame="refs">${hiddenFields({ view, ref: ref ?? '', path: path ?? '' })}<input type="search" name="search" value="${search}" aria-label="Branch or tag" placeholder="Branch or tag"></form>`;
  const none = branches.length + tags.length === 0 && html`<p class="muted">No matching branches or tags.</p>`;
  const body = html`<h1>Branches and tags</h1><turbo-frame id="refs" target="_top">${form}${list('Branches', branches, 'branches')}${list('Tags', tags, 'tags')}${none}</turbo-frame>`;
  return inProject(context, { title: 'Branches and tags', tab: 'tree', body });
}
