import { alert, submit } from '../forms/card.ts';
import type { Section, SectionContext } from '../forms/collection.ts';
import { drawField, type Field } from '../forms/fields.ts';
import type { Entity } from '../frame/api.ts';
import { badge, listOr, relativeTime } from '../frame/format.ts';
import { type Html, html } from '../frame/html.ts';
import { pageOf, pager } from '../frame/paging.ts';
import type { Outcome, Page } from '../frame/visit.ts';
import { actionButton } from '../planning/discussion.ts';

const answered: Field = {
  name: 'status',
  label: 'Answered',
  kind: 'select',
  options: [
    ['', 'Any status'],
    ['successful', 'Well'],
    ['client_failure', 'Client error (4xx)'],
    ['server_failure', 'Server error (5xx) or no response'],
  ],
};

const hookOf = ({ visit, api, home }: SectionContext) => {
  const id = encodeURIComponent(visit.params.id ?? '');
  return { url: `${api}/hooks/${id}`, page: `${home}/-/hooks/${id}/deliveries`, list: `${home}/-/hooks` };
};

const headers = (sent: Readonly<Record<string, string>>) =>
  Object.entries(sent)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n');

const part = (title: string, text: string) => text !== '' && html`<h3>${title}</h3><pre tabindex="0">${text}</pre>`;

/** A webhook delivery: its result and, expanded, request and response. */
function drawDelivery(context: SectionContext, one: Entity): Html {
  const went = /^2\d\d$/.test(one.response_status) ? 'success' : 'failed';
  const again = actionButton(context.visit, `${hookOf(context).page}/resend`, 'Resend', { id: String(one.id) });
  const about = html`${one.trigger.replace(/_hooks$/, '').replaceAll('_', ' ')} <span class="muted">${relativeTime(one.created_at)} · ${one.execution_duration.toFixed(2)} s</span>`;
  return html`<li><div class="row">${badge(went, one.response_status)}<span>${about}</span><span class="end">${again}</span></div><details><summary>Request and response</summary><p>To <code>${one.url}</code></p>${part('Request headers', headers(one.request_headers))}${part('Request body', JSON.stringify(one.request_data, null, 2))}${part('Response headers', headers(one.response_headers))}${part('Answer', one.response_body)}</details></li>`;
}

async function deliveriesPage(context: SectionContext, problem?: string): Promise<Outcome> {
  const { visit } = context;
  const { url, list } = hookOf(context);
  const status = visit.query.get('status') ?? '';
  const [hook, answer] = await Promise.all([
    visit.api.get(url),
    visit.api.page(`${url}/events`, { per_page: 20, page: pageOf(visit), status: status || undefined }),
  ]);
  const empty = status === '' ? 'No deliveries yet. Test the webhook, or wait for an event.' : 'No such delivery.';
  const body = html`<h1>Deliveries</h1><p class="muted">Recent deliveries to ${hook.name || hook.url}. <a href="${list}">All webhooks</a></p>${alert(problem)}<form class="filters" action="${visit.base}${visit.path.replace(/\/resend$/, '')}">${drawField(answered, status)}<button>Filter</button></form>${listOr(answer.body, (one: Entity) => drawDelivery(context, one), empty)}${pager(visit, answer)}`;
  return context.show({ title: 'Deliveries', body, ...(problem !== undefined && { status: 422 }) });
}

async function resend(context: SectionContext): Promise<Outcome> {
  const { url, page } = hookOf(context);
  const id = encodeURIComponent(context.visit.form.get('id') ?? '');
  return submit(context.visit, {
    method: 'POST',
    path: `${url}/events/${id}/resend`,
    sent: {},
    to: page,
    notice: 'Resent. The new delivery is at the top.',
    again: (problem) => deliveriesPage(context, problem),
  });
}

/** Recent deliveries of a webhook, with a resend action. */
export const deliveryPages = (section: Section, prefix: string): Page[] => [
  section({ path: `${prefix}/-/hooks/:id/deliveries`, signedIn: true, show: (context) => deliveriesPage(context) }),
  section({ method: 'POST', path: `${prefix}/-/hooks/:id/deliveries/resend`, show: resend }),
];
