import type { Entity } from '../frame/api.ts';
import { badge, listOr } from '../frame/format.ts';
import { type Html, html } from '../frame/html.ts';
import { layout } from '../frame/layout.ts';
import { pageOf, pager, withQuery } from '../frame/paging.ts';
import type { Outcome, Page, Visit } from '../frame/visit.ts';
import { segments } from '../planning/filters.ts';
import { workItem } from '../planning/work-item.ts';
import { projectItem } from './project-list.ts';

const draw: Readonly<Record<string, (visit: Visit, item: Entity) => Html>> = {
  projects: projectItem,
  issues: workItem,
  merge_requests: workItem,
  milestones: (visit, one) =>
    html`<li class="row"><a class="main" href="${visit.base}${new URL(one.web_url).pathname}">${one.title}</a>${badge(one.state)}</li>`,
  users: ({ base }, one) =>
    html`<li class="row"><a class="main" href="${base}/${one.username}">${one.name}</a><span class="muted">@${one.username}</span></li>`,
};

/** Something that was found, of a kind that every search knows. */
export const drawFound = (visit: Visit, kind: string, found: Entity): Html => draw[kind]?.(visit, found) ?? html``;

/** An address that asks for what one project holds leads to the search of that project. */
async function searchOfProject({ api, base, query }: Visit, id: string): Promise<Outcome | undefined> {
  const project = await api.maybe(`/projects/${encodeURIComponent(id)}`);
  const kept = new URLSearchParams([...query].filter(([name]) => name === 'search' || name === 'scope'));
  return project && { redirect: `${base}/${project.path_with_namespace}/-/search?${kept.toString()}` };
}

async function searchPage(visit: Visit): Promise<Outcome> {
  const { query, base } = visit;
  const words = (query.get('search') ?? '').trim();
  // The API searches for nobody who is not signed in: what is public can be explored.
  if (!visit.user) return { redirect: `${base}/explore?name=${encodeURIComponent(words)}` };
  const inside = query.get('project_id') && (await searchOfProject(visit, query.get('project_id') ?? ''));
  if (inside) return inside;
  const wanted = query.get('scope') ?? 'projects';
  const scope = Object.hasOwn(draw, wanted) ? wanted : 'projects';
  const form = html`<form class="filters" action="${base}/search"><input type="hidden" name="scope" value="${scope}"><label>Words<input type="search" name="search" value="${words}"></label><button>Search</button></form>`;
  const links = Object.keys(draw).map((name) => [name, withQuery(visit, { scope: name, page: undefined })] as const);
  const answer =
    words === ''
      ? undefined
      : await visit.api.page('/search', { scope, search: words, per_page: 20, page: pageOf(visit) });
  const found =
    answer &&
    html`${listOr(answer.body, (item) => drawFound(visit, scope, item), 'Nothing found. Try fewer or other words, or look for another kind above.')}${pager(visit, answer)}`;
  return {
    page: layout(visit, { title: 'Search', body: html`<h1>Search</h1>${form}${segments(links, scope)}${found}` }),
  };
}

export const searchPages: readonly Page[] = [{ path: '/search', show: searchPage }];
