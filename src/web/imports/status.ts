import type { Entity } from '../frame/api.ts';
import { listOr } from '../frame/format.ts';
import { type Html, html } from '../frame/html.ts';
import { changedParts, livePart } from '../frame/live.ts';
import type { LiveUpdates, Outcome, Page, Visit } from '../frame/visit.ts';
import { importPage } from './import-page.ts';
import { isRunning, stateBadge } from './progress.ts';

/** URL of the status page of several imports. */
export const statusAddress = ({ base }: Visit, ids: readonly number[]): string =>
  `${base}/import/status?${ids.map((id) => `id=${id}`).join('&')}`;

const most = 20;

/** Loads the imports in the URL that the user can see. */
async function statesOf({ api, query }: Visit): Promise<Entity[]> {
  const ids = query.getAll('id').filter((id) => /^\d{1,15}$/.test(id));
  const found = await Promise.all(ids.slice(0, most).map((id) => api.maybe(`/projects/${id}/import`)));
  return found.filter((one) => one !== undefined);
}

function draw({ base }: Visit, states: readonly Entity[]): Html {
  const item = (one: Entity) =>
    html`<li><div class="row"><a class="main" href="${base}/${one.path_with_namespace}"><strong>${one.name_with_namespace}</strong></a>${one.failed_relations.length > 0 && html`<a href="${base}/${one.path_with_namespace}/-/import">failures</a>`}<span class="end">${stateBadge(one)}</span></div>${one.import_error && html`<p class="muted">${one.import_error}</p>`}</li>`;
  return listOr(states, item, html`No import is named here. <a href="${base}/projects/new">Begin one</a>.`);
}

async function statusPage(visit: Visit): Promise<Outcome> {
  const body = livePart('imports', draw(visit, await statesOf(visit)));
  return importPage(visit, { title: 'Imports', body });
}

async function watch(visit: Visit): Promise<LiveUpdates> {
  let states = await statesOf(visit);
  const parts = changedParts(async () => ({ imports: draw(visit, states) }));
  return {
    projectId: states[0]?.id ?? 0,
    every: 2_000,
    async changes() {
      states = await statesOf(visit);
      return { ...(await parts()), over: !states.some(isRunning) };
    },
  };
}

export const statusPages: readonly Page[] = [{ path: '/import/status', signedIn: true, show: statusPage, watch }];
