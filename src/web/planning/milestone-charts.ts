import type { SectionContext } from '../forms/collection.ts';
import type { Entity } from '../frame/api.ts';
import { lineChart } from '../frame/chart.ts';
import { type Html, html, nothing } from '../frame/html.ts';
import { withQuery } from '../frame/paging.ts';
import { workByDay } from './burndown.ts';
import { viewLinks } from './filters.ts';

/** Pages of 100 events; a milestone with more has no charts. */
const maxPages = 10;
const longest = 10 * 366 * 24 * 60 * 60 * 1000;

async function eventsOf({ visit, api }: SectionContext, id: number): Promise<readonly Entity[] | undefined> {
  const events: Entity[] = [];
  for (let page = 1; page <= maxPages; page += 1) {
    const answer = await visit.api.page(`${api}/milestones/${id}/burndown_events`, { per_page: 100, page });
    events.push(...answer.body);
    if (String(answer.headers['x-next-page'] ?? '') === '') return events;
  }
  return undefined;
}

/** Burndown and burnup charts of a milestone. */
export async function milestoneCharts(context: SectionContext, milestone: Entity): Promise<Html> {
  const { visit } = context;
  const { start_date: from, due_date: to } = milestone;
  if (!from || !to) return html`<p class="muted">Set a start and a due date to show a burndown chart.</p>`;
  const isShort = Date.parse(to) - Date.parse(from) <= longest;
  const events = isShort ? await eventsOf(context, milestone.id) : undefined;
  if (!events) return html`<p class="muted">Too many events to draw a chart.</p>`;
  const by = visit.query.get('by') === 'weight' ? 'weight' : 'issues';
  const days = workByDay(events, { from, to, today: new Date().toISOString().slice(0, 10), by });
  const [first, last] = [days.at(0), days.at(-1)];
  if (!first || !last || last.scope === 0) return nothing;
  const unit = by === 'weight' ? 'by weight' : 'issues';
  const guide = [
    { date: from, value: first.open },
    { date: to, value: 0 },
  ];
  const choice = viewLinks(
    [
      ['issues', withQuery(visit, { by: undefined })],
      ['weight', withQuery(visit, { by: 'weight' })],
    ],
    by,
  );
  const down = lineChart({
    title: 'Burndown',
    description: `${last.open} of ${last.scope} ${unit} open`,
    from,
    to,
    lines: [
      { name: 'Evenly', style: 'guide', points: guide },
      { name: 'Open', style: 'main', points: days.map(({ date, open }) => ({ date, value: open })) },
    ],
  });
  const up = lineChart({
    title: 'Burnup',
    description: `${last.scope - last.open} of ${last.scope} ${unit} done`,
    from,
    to,
    lines: [
      { name: 'All', style: 'other', points: days.map(({ date, scope }) => ({ date, value: scope })) },
      { name: 'Done', style: 'main', points: days.map(({ date, scope, open }) => ({ date, value: scope - open })) },
    ],
  });
  return html`${choice}<div class="charts">${down}${up}</div>`;
}
