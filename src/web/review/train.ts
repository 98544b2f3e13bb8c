import type { Entity } from '../frame/api.ts';
import { badge, listOr, relativeTime } from '../frame/format.ts';
import { type Html, html } from '../frame/html.ts';
import { changedParts, livePart } from '../frame/live.ts';
import { pageOf, pager, withQuery } from '../frame/paging.ts';
import type { LiveUpdates, Outcome, Page } from '../frame/visit.ts';
import { inProject, type ProjectContext, projectPage, sectionTitle } from '../namespaces/project.ts';
import { userLink } from '../planning/discussion.ts';

/** URL of a branch's merge train. */
export const trainAddress = (home: string, branch: string): string =>
  `${home}/-/merge_trains?target_branch=${encodeURIComponent(branch)}`;

const isOver = ({ visit }: ProjectContext): boolean => visit.query.get('scope') === 'complete';

function carLine({ visit, home }: ProjectContext, car: Entity): Html {
  const { merge_request: request, pipeline } = car;
  const run = pipeline && html`<a href="${home}/-/pipelines/${pipeline.id}">${badge(pipeline.status)}</a>`;
  const since =
    car.merged_at === null
      ? html`waits since ${relativeTime(car.created_at)}`
      : html`merged ${relativeTime(car.merged_at)}`;
  return html`<li class="row"><a class="main" href="${home}/-/merge_requests/${request.iid}"><strong>${request.title}</strong> <span class="muted">!${request.iid}</span></a>${badge(car.status)}${run}<span class="end muted">into <code>${car.target_branch}</code> by ${userLink(visit, car.user)}, ${since}</span></li>`;
}

/** Lists the cars of the train in merge order, or merged ones, newest first. */
async function cars(context: ProjectContext): Promise<Html> {
  const { visit, api } = context;
  const over = isOver(context);
  const found = await visit.api.page(`${api}/merge_trains`, {
    target_branch: visit.query.get('target_branch'),
    scope: over ? 'complete' : 'active',
    sort: over ? 'desc' : 'asc',
    per_page: 50,
    page: pageOf(visit),
  });
  const empty = over ? 'No merged cars yet.' : 'The merge train is empty.';
  return html`${listOr(found.body, (car: Entity) => carLine(context, car), empty)}${pager(visit, found)}`;
}

async function trainPage(context: ProjectContext): Promise<Outcome> {
  const { visit } = context;
  const branch = visit.query.get('target_branch');
  const title = branch ? `Merge train of ${branch}` : 'Merge trains';
  const view = (scope: string, text: string, current: boolean) =>
    html`<a href="${withQuery(visit, { scope, page: undefined })}"${current && html` aria-current="page"`}>${text}</a>`;
  const over = isOver(context);
  const body = html`${sectionTitle(title)}<p class="row">${view('active', 'waiting', !over)}${view('complete', 'merged', over)}</p>${livePart('train', await cars(context))}`;
  return inProject(context, { title, tab: 'merge_requests', body });
}

async function watchTrain(context: ProjectContext): Promise<LiveUpdates> {
  const changes = changedParts(async () => ({ train: await cars(context) }));
  return { projectId: context.project.id, every: 5_000, changes };
}

export const trainPages: readonly Page[] = [
  projectPage({ path: '/:project/-/merge_trains', show: trainPage, watch: watchTrain }),
];
