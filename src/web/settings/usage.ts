import { inAccount } from '../account/section.ts';
import type { Entity } from '../frame/api.ts';
import { Refusal } from '../frame/api.ts';
import { type Html, html } from '../frame/html.ts';
import type { Outcome, Page, Visit } from '../frame/visit.ts';
import { type GroupContext, groupPage, inGroup } from '../namespaces/group.ts';
import { inGroupSettings } from '../namespaces/sections.ts';

const title = 'Usage quotas';

const bar = (used: number, of: number): Html =>
  html`<progress max="${Math.max(of, 1)}" value="${Math.min(used, of)}">${used}</progress>`;

/** Compute minutes that a namespace has used on instance runners. */
async function minutes(visit: Visit, namespace: string): Promise<Html> {
  const found: Entity = await visit.api.get(`/namespaces/${encodeURIComponent(namespace)}`);
  const { ci_minutes_usage: usage, shared_runners_minutes_limit: limit } = found;
  // Only owners see the usage.
  if (!usage) throw new Refusal(404, 'Not Found');
  const extra: number = found.extra_shared_runners_minutes_limit ?? 0;
  const monthly = limit
    ? html`<p>${usage.monthly_minutes_used} of ${limit} minutes used this month ${bar(usage.monthly_minutes_used, limit)}</p>`
    : html`<p>${usage.total_minutes_used} minutes used this month</p>`;
  const more =
    extra > 0 &&
    html`<p>${usage.purchased_minutes_used} of ${extra} extra minutes used ${bar(usage.purchased_minutes_used, extra)}</p>`;
  return html`<h1>${title}</h1><h2>Compute minutes on instance runners</h2>${monthly}${more}<p class="muted">Jobs count once they finish. Unused additional minutes carry over.</p>`;
}

async function groupUsage(context: GroupContext): Promise<Outcome> {
  const body = inGroupSettings(context, await minutes(context.visit, String(context.group.id)));
  return inGroup(context, { title, tab: 'edit', body });
}

async function ownUsage(visit: Visit): Promise<Outcome> {
  const { username } = await visit.api.get('/user');
  return inAccount(visit, { title, body: await minutes(visit, username) });
}

/** Usage quotas of a user or top-level group. */
export const usagePages: readonly Page[] = [
  groupPage({ path: '/groups/:path/-/usage_quotas', signedIn: true, show: groupUsage }),
  { path: '/-/profile/usage_quotas', signedIn: true, show: ownUsage },
];
