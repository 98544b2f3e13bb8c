import { card, submit } from '../forms/card.ts';
import { type Field, readFields, submittedValues } from '../forms/fields.ts';
import type { Entity } from '../frame/api.ts';
import { count, listOr, relativeTime, size } from '../frame/format.ts';
import { type Html, html } from '../frame/html.ts';
import { pageOf, pager } from '../frame/paging.ts';
import type { Outcome, Page } from '../frame/visit.ts';
import { type GroupContext, groupPage, inGroup } from '../namespaces/group.ts';
import { sectionTitle } from '../namespaces/project.ts';
import { actionButton } from '../planning/discussion.ts';

const path = '/-/dependency_proxy';
const owner = 50;

const fields: readonly Field[] = [
  { name: 'enabled', label: 'Enable the dependency proxy', kind: 'check' },
  { name: 'identity', label: 'Username at the remote registry', hint: 'Empty: anonymous access' },
  { name: 'secret', label: 'Password or token', kind: 'password', hint: 'Empty: unchanged' },
  { name: 'ttl_enabled', label: 'Remove unused images', kind: 'check' },
  { name: 'ttl', label: 'Days without a pull before removal', kind: 'number', required: true },
];

function settings({ visit, home }: GroupContext, proxy: Entity, problem: string | undefined): Html {
  const { enabled, identity, ttl_policy } = proxy;
  const stored = { enabled, identity, ttl_enabled: ttl_policy.enabled, ttl: ttl_policy.ttl };
  const values = problem === undefined ? stored : { ...stored, ...submittedValues(fields, visit.form) };
  return card(visit, { action: home + path, title: 'Settings', fields, values, button: 'Save', problem });
}

/** Shows a group's dependency proxy: its cached images and settings. */
async function proxyPage(context: GroupContext, problem?: string): Promise<Outcome> {
  const { visit, api, home, role } = context;
  const [proxy, answer] = await Promise.all([
    visit.api.get(`${api}/dependency_proxy`),
    visit.api.page(`${api}/dependency_proxy/manifests`, { per_page: 20, page: pageOf(visit) }),
  ]);
  const item = ({ image, tags, digest, last_pulled_at }: Entity) =>
    html`<li class="row"><span class="main"><strong>${image}${tags.length > 0 && `:${tags.join(', ')}`}</strong> <code>${digest.slice(0, 19)}</code></span><span class="end muted">pulled ${relativeTime(last_pulled_at)}</span></li>`;
  const purge = role >= owner && actionButton(visit, `${home}${path}/purge`, 'Clear the cache');
  const prefix = html`<label>Dependency proxy image prefix<input readonly value="${proxy.image_prefix}" data-copy></label>`;
  const state = proxy.enabled
    ? html`<p>Pull an image with this prefix to cache it: <code>docker pull ${proxy.image_prefix}/alpine:latest</code></p>${prefix}`
    : html`<p class="notice">The dependency proxy is disabled.</p>`;
  const summary = html`<p class="muted">${count(proxy.image_count, 'manifest')}, ${count(proxy.blob_count, 'blob')}, ${size(proxy.total_size)}</p>`;
  const body = html`${sectionTitle('Dependency proxy', purge || undefined)}${state}${summary}${listOr(answer.body, item, 'No cached images.')}${pager(visit, answer)}${role >= owner && settings(context, proxy, problem)}`;
  return inGroup(context, {
    title: 'Dependency proxy',
    tab: 'dependency_proxy',
    body,
    ...(problem !== undefined && { status: 422 }),
  });
}

async function save(context: GroupContext): Promise<Outcome> {
  const { visit, api, home } = context;
  const { secret, ...sent } = readFields(fields, visit.form, 'keep');
  // Clearing the user name clears the password too; an empty password field keeps the stored one.
  const secretChange = sent.identity !== '' && secret === '' ? {} : { secret: sent.identity === '' ? '' : secret };
  return submit(visit, {
    method: 'PUT',
    path: `${api}/dependency_proxy`,
    sent: { ...sent, ...secretChange },
    to: home + path,
    again: (problem) => proxyPage(context, problem),
  });
}

async function purge({ visit, api, home }: GroupContext): Promise<Outcome> {
  await visit.api.send('DELETE', `${api}/dependency_proxy/cache`);
  return { redirect: home + path };
}

export const dependencyProxyPages: readonly Page[] = [
  groupPage({ path: `/groups/:path${path}`, signedIn: true, show: (context) => proxyPage(context) }),
  groupPage({ method: 'POST', path: `/groups/:path${path}`, show: save }),
  groupPage({ method: 'POST', path: `/groups/:path${path}/purge`, show: purge }),
];
