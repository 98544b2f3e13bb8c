import { alert, hiddenFields } from '../forms/card.ts';
import { type Entity, refusalOf } from '../frame/api.ts';
import { type Html, html } from '../frame/html.ts';
import { csrfField } from '../frame/layout.ts';
import type { Outcome, Page } from '../frame/visit.ts';
import { type ProjectContext, pageNotFound, projectPage } from '../namespaces/project.ts';
import { type Kind, mayPlan, noteablePaths } from './kind.ts';

/** Time tracking actions: API operation and parameters by button. */
const acts: Readonly<Record<string, { readonly path: string; readonly fields: readonly string[] }>> = {
  spend: { path: 'add_spent_time', fields: ['duration', 'summary'] },
  estimate: { path: 'time_estimate', fields: ['duration'] },
  forget: { path: 'reset_spent_time', fields: [] },
  unestimate: { path: 'reset_time_estimate', fields: [] },
};

function amounts({ time_stats: times }: Entity): Html {
  const { time_estimate: estimate, total_time_spent: spent } = times;
  if (estimate === 0 && spent === 0) return html`<p class="muted">None</p>`;
  const bar =
    estimate > 0 && html`<progress max="${estimate}" value="${Math.max(0, Math.min(spent, estimate))}"></progress>`;
  const planned = estimate > 0 && html` of ${times.human_time_estimate}`;
  const over = estimate > 0 && spent > estimate && html`<p class="muted">Over the estimate.</p>`;
  return html`<p>${times.human_total_time_spent ?? 'Nothing'} spent${planned}</p>${bar}${over}`;
}

/** Time spent and estimate, with forms for users who can plan. */
export function timeSection(context: ProjectContext, kind: Kind, item: Entity, problem?: string): Html {
  const { visit, home } = context;
  const { time_estimate: estimate, total_time_spent: spent } = item.time_stats;
  const failed = problem !== undefined && visit.form.get('part') === 'time';
  const form = (act: string, button: string, inner: Html, undo?: readonly [act: string, text: string]) => {
    const wrong = failed && visit.form.get('act') === act;
    const more = undo && html`<button name="undo" value="${undo[0]}" formnovalidate>${undo[1]}</button>`;
    return html`<form class="card" method="post" action="${home}/-/${kind}/${item.iid}/time">${csrfField(visit)}${hiddenFields({ part: 'time', act })}${wrong && alert(problem)}${inner}<div class="row"><button>${button}</button>${more}</div></form>`;
  };
  const typed = (act: string, name: string) => (failed && visit.form.get('act') === act ? visit.form.get(name) : '');
  const forms =
    mayPlan(context, kind) &&
    html`<details${failed && html` open`}><summary>Track time</summary>${form('spend', 'Add time', html`<label>Time spent<input name="duration" required placeholder="1h 30m" value="${typed('spend', 'duration')}"></label><label>On what<input name="summary" maxlength="255" value="${typed('spend', 'summary')}"></label>`, spent === 0 ? undefined : ['forget', 'Reset time spent'])}${form('estimate', 'Set estimate', html`<label>Estimate<input name="duration" required placeholder="3d" value="${typed('estimate', 'duration')}"></label>`, estimate === 0 ? undefined : ['unestimate', 'No estimate'])}</details>`;
  return html`<section id="side-time"><h2>Time</h2>${amounts(item)}${forms}</section>`;
}

async function track(
  context: ProjectContext,
  kind: Kind,
  again: (problem: string) => Promise<Outcome>,
): Promise<Outcome> {
  const { visit } = context;
  const { url, page } = noteablePaths(context, kind);
  const name = visit.form.get('undo') ?? visit.form.get('act') ?? '';
  const act = Object.hasOwn(acts, name) ? acts[name] : undefined;
  if (!act) throw pageNotFound();
  const sent = act.fields.flatMap((field) => (visit.form.get(field) ? [[field, visit.form.get(field)] as const] : []));
  const answer = await visit.api.ask('POST', `${url}/${act.path}`, Object.fromEntries(sent));
  if ([400, 422].includes(answer.status)) return again(refusalOf(answer).reason);
  if (answer.status >= 300) throw refusalOf(answer);
  return { redirect: `${page}#side-time` };
}

export const timePages = (kind: Kind, show: (context: ProjectContext, problem: string) => Promise<Outcome>): Page[] => [
  projectPage({
    method: 'POST',
    path: `/:project/-/${kind}/:iid/time`,
    show: (context) => track(context, kind, (problem) => show(context, problem)),
  }),
];
