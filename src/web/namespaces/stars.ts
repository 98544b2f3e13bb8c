import type { Entity } from '../frame/api.ts';
import { listOr, relativeTime } from '../frame/format.ts';
import { html } from '../frame/html.ts';
import { pageOf, pager } from '../frame/paging.ts';
import type { Outcome, Page } from '../frame/visit.ts';
import { searchForm } from '../home/explore.ts';
import { avatar, userLink } from '../planning/discussion.ts';
import { inProject, type ProjectContext, projectPage } from './project.ts';

async function starrersPage(context: ProjectContext): Promise<Outcome> {
  const { visit, api } = context;
  const starrers = await visit.api.page(`${api}/starrers`, {
    per_page: 50,
    page: pageOf(visit),
    search: visit.query.get('name'),
  });
  const item = ({ user, starred_since: since }: Entity) =>
    html`<li class="row">${avatar(user)}<span class="main">${userLink(visit, user)}</span><span class="end muted">${relativeTime(since)}</span></li>`;
  const body = html`<h1>Starrers</h1>${searchForm(visit, 'User')}${listOr(starrers.body, item, 'No visible stars.')}${pager(visit, starrers)}`;
  return inProject(context, { title: 'Starrers', tab: '', body });
}

async function star({ visit, api, home }: ProjectContext): Promise<Outcome> {
  // The API responds with 304 if the project is already starred, which is not an error.
  await visit.api.ask('POST', `${api}/${visit.form.get('unstar') === 'true' ? 'unstar' : 'star'}`);
  return { redirect: home };
}

export const starPages: readonly Page[] = [
  projectPage({ path: '/:project/-/starrers', show: starrersPage }),
  projectPage({ method: 'POST', path: '/:project/-/star', show: star }),
];
