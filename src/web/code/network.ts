import { encodePath } from '../frame/addresses.ts';
import type { Entity } from '../frame/api.ts';
import { relativeTime } from '../frame/format.ts';
import { type Html, html, trusted } from '../frame/html.ts';
import { pageOf, pager, withQuery } from '../frame/paging.ts';
import type { Outcome } from '../frame/visit.ts';
import { inProject, type ProjectContext } from '../namespaces/project.ts';
import { type Line, lanesOf, type Row } from './lanes.ts';
import { splitRef } from './ref.ts';

const perPage = 50;
/** Further lanes are drawn over the last one. */
const maxLanes = 12;
const colours = 6;
const [step, height] = [14, 36];

const x = (lane: number) => step / 2 + Math.min(lane, maxLanes - 1) * step;

function drawLine({ from, to, kind }: Line): string {
  const [x0, x1] = [x(from), x(to)];
  const [y0, y1] = kind === 'in' ? [0, height / 2] : kind === 'out' ? [height / 2, height] : [0, height];
  const middle = (y0 + y1) / 2;
  const path = x0 === x1 ? `M${x0} ${y0}V${y1}` : `M${x0} ${y0}C${x0} ${middle} ${x1} ${middle} ${x1} ${y1}`;
  return `<path class="lane-${(kind === 'in' ? from : to) % colours}" d="${path}"/>`;
}

function drawRow({ lane, lines }: Row, lanes: number): Html {
  const dot = `<circle class="lane-${lane % colours}" cx="${x(lane)}" cy="${height / 2}" r="4"/>`;
  const width = lanes * step;
  return html`<svg viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" aria-hidden="true">${trusted(lines.map(drawLine).join('') + dot)}</svg>`;
}

/** Returns the 100 latest branches and tags by commit. */
async function namesByCommit({ visit, api }: ProjectContext): Promise<ReadonlyMap<string, readonly string[]>> {
  const query = { per_page: 100, order_by: 'updated', sort: 'desc' };
  const [branches, tags] = await Promise.all([
    visit.api.get(`${api}/repository/branches`, { per_page: 100, sort: 'updated_desc' }),
    visit.api.get(`${api}/repository/tags`, query),
  ]);
  const pairs = [...branches, ...tags].map((one: Entity): [string, string] => [one.commit?.id, one.name]);
  const grouped = Map.groupBy(pairs, ([id]) => id);
  return new Map([...grouped].map(([id, named]) => [id, named.map(([, name]) => name)]));
}

/** Shows the commit graph of one or all branches. */
export async function networkPage(context: ProjectContext): Promise<Outcome> {
  const { visit, api, home, project } = context;
  const at = await splitRef(context, visit.params.address ?? project.default_branch ?? 'HEAD');
  const all = visit.query.get('all') === '1';
  const of = all ? { all } : { ref_name: at.ref };
  const [answer, names] = await Promise.all([
    visit.api.page(`${api}/repository/commits`, { ...of, order: 'topo', per_page: perPage, page: pageOf(visit) }),
    namesByCommit(context),
  ]);
  const commits: readonly Entity[] = answer.body;
  const rows = lanesOf(commits.map(({ id, parent_ids }) => ({ id, parent_ids })));
  const used = rows.flatMap(({ lane, lines }) => [lane, ...lines.flatMap(({ from, to }) => [from, to])]);
  const lanes = Math.min(Math.max(0, ...used) + 1, maxLanes);
  const named = (name: string) => html`<a class="ref" href="${home}/-/commits/${encodePath(name)}">${name}</a>`;
  const item = (commit: Entity, number: number) => {
    const row = rows[number];
    return html`<li>${row && drawRow(row, lanes)}<span class="text">${names.get(commit.id)?.map(named)}<a class="main" href="${home}/-/commit/${commit.id}">${commit.title}</a></span><span class="muted">${commit.author_name} · ${relativeTime(commit.committed_date)}</span></li>`;
  };
  const other = withQuery(visit, { all: all ? undefined : '1', page: undefined });
  const body = html`<div class="row"><h1>Graph</h1><a class="end" href="${other}">${all ? html`Only <code>${at.ref}</code>` : 'All branches'}</a></div><ol class="network">${commits.map(item)}</ol>${pager(visit, answer)}`;
  return inProject(context, {
    title: `Graph of ${all ? 'all branches' : at.ref}`,
    crumb: 'Graph',
    tab: 'commits',
    body,
  });
}
