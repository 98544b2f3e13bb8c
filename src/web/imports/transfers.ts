import { card, submit } from '../forms/card.ts';
import { type Field, submittedValues } from '../forms/fields.ts';
import type { Entity } from '../frame/api.ts';
import { badge, count, listOr, relativeTime } from '../frame/format.ts';
import { type Html, html } from '../frame/html.ts';
import { changedParts, livePart } from '../frame/live.ts';
import { pageOf, pager } from '../frame/paging.ts';
import type { LiveUpdates, Outcome, Page, Visit } from '../frame/visit.ts';
import { actionButton } from '../planning/discussion.ts';
import { importPage } from './import-page.ts';

const way = '/import/bulk_imports/new';
const place = '/import/bulk_imports';

async function fieldsFor({ api }: Visit): Promise<readonly Field[]> {
  const groups = await api.get('/groups', { min_access_level: 40, per_page: 100 });
  return [
    { name: 'url', label: 'Source server URL', kind: 'url', required: true, placeholder: 'https://forge.example.com' },
    {
      name: 'access_token',
      label: 'Access token',
      kind: 'password',
      required: true,
      hint: 'With the scope api, of a group owner or project maintainer',
    },
    {
      name: 'source_type',
      label: 'What',
      kind: 'select',
      options: [
        ['group_entity', 'Groups, including subgroups'],
        ['project_entity', 'Projects'],
      ],
    },
    { name: 'paths', label: 'Source paths', kind: 'area', required: true, hint: 'One per line: group/subgroup' },
    {
      name: 'destination_namespace',
      label: 'Where',
      kind: 'select',
      options: [['', 'No other group'], ...groups.map(({ full_path }: Entity) => [full_path, full_path] as const)],
    },
    { name: 'migrate_projects', label: 'Include projects of groups', kind: 'check' },
    { name: 'migrate_memberships', label: 'Include members', kind: 'check' },
  ];
}

async function newPage(visit: Visit, problem?: string): Promise<Outcome> {
  const fields = await fieldsFor(visit);
  const form = card(visit, {
    action: visit.base + place,
    fields,
    values:
      problem === undefined
        ? { migrate_projects: true, migrate_memberships: true }
        : submittedValues(fields, visit.form),
    button: 'Start transfer',
    problem,
  });
  const body = html`<p class="muted">Transfers groups and projects from another server directly, without a file. <a href="${visit.base}${place}">Your transfers</a></p>${form}`;
  return importPage(visit, { title: 'Direct transfer', way, body, isRefused: problem !== undefined });
}

async function begin(visit: Visit): Promise<Outcome> {
  const { url, access_token, paths, source_type, ...common } = submittedValues(await fieldsFor(visit), visit.form);
  const requested = String(paths)
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  const entities = requested.map((path) => ({
    ...common,
    source_type,
    source_full_path: path,
    destination_slug: path.slice(path.lastIndexOf('/') + 1),
  }));
  return submit(visit, {
    method: 'POST',
    path: '/bulk_imports',
    sent: { configuration: { url, access_token }, entities },
    to: ({ id }) => `${visit.base}${place}/${id}`,
    again: (problem) => newPage(visit, problem),
  });
}

const unfinished: ReadonlySet<string> = new Set(['created', 'started']);
const kinds: Readonly<Record<string, string>> = { created: 'pending', started: 'running', finished: 'success' };
const stateOf = ({ status }: Entity) => badge(kinds[status] ?? status, status === 'created' ? 'waiting' : status);

async function listPage(visit: Visit): Promise<Outcome> {
  const answer = await visit.api.page('/bulk_imports', { per_page: 20, page: pageOf(visit) });
  const item = (one: Entity) =>
    html`<li class="row"><a class="main" href="${visit.base}${place}/${one.id}">${one.source_url}</a>${one.has_failures && badge('failed', 'with failures')}${stateOf(one)}<span class="end muted">${relativeTime(one.created_at)}</span></li>`;
  const empty = html`Nothing was brought from another server yet. <a href="${visit.base}${way}">New transfer</a>.`;
  const body = html`${listOr(answer.body, item, empty)}${pager(visit, answer)}`;
  return importPage(visit, { title: 'Your transfers', body });
}

const numbers = (stats: Entity) =>
  Object.entries<Entity>(stats)
    .map(([relation, { imported, source }]) => `${relation.replaceAll('_', ' ')} ${imported} of ${source}`)
    .join(' · ');

function entityItem({ base }: Visit, one: Entity): Html {
  const isHere = one.project_id !== null || one.namespace_id !== null;
  const name = isHere
    ? html`<a class="main" href="${base}/${one.destination_full_path}">${one.destination_full_path}</a>`
    : html`<span class="main">${one.destination_full_path}</span>`;
  const failure = (each: Entity) =>
    html`<li><strong>${each.relation}</strong> ${each.source_title}<p class="muted">${each.exception_message}</p></li>`;
  const failed =
    one.failures.length > 0 &&
    html`<details><summary>${count(one.failures.length, 'failure')}</summary><ul class="list">${one.failures.map(failure)}</ul></details>`;
  return html`<li><div class="row">${name}<span class="muted">${one.entity_type} ${one.source_full_path}</span><span class="end">${stateOf(one)}</span></div><p class="muted">${numbers(one.stats)}</p>${failed}</li>`;
}

async function stateOfTransfer(visit: Visit): Promise<{ readonly over: boolean; readonly shown: Html }> {
  const url = `/bulk_imports/${visit.params.id}`;
  const [transfer, entities] = await Promise.all([
    visit.api.get(url),
    visit.api.page(`${url}/entities`, { per_page: 20, page: pageOf(visit) }),
  ]);
  const over = !unfinished.has(transfer.status);
  const stop = !over && actionButton(visit, `${visit.base}${place}/${transfer.id}/cancel`, 'Cancel the transfer');
  const shown = html`<div class="row"><span>From ${transfer.source_url}, started ${relativeTime(transfer.created_at)}</span>${stateOf(transfer)}<span class="end">${stop}</span></div>${listOr(entities.body, (one) => entityItem(visit, one), 'No entities yet.')}${pager(visit, entities)}`;
  return { over, shown };
}

async function transferPage(visit: Visit): Promise<Outcome> {
  const { shown } = await stateOfTransfer(visit);
  const body = html`${livePart('transfer', shown)}<p><a href="${visit.base}${place}">Your transfers</a></p>`;
  return importPage(visit, { title: `Transfer ${visit.params.id}`, body });
}

async function watchTransfer(visit: Visit): Promise<LiveUpdates> {
  let now = await stateOfTransfer(visit);
  const parts = changedParts(async () => ({ transfer: now.shown }));
  return {
    // There is no project whose events could trigger the update.
    every: 2_000,
    async changes() {
      now = await stateOfTransfer(visit);
      return { ...(await parts()), over: now.over };
    },
  };
}

async function cancel(visit: Visit): Promise<Outcome> {
  await visit.api.send('POST', `/bulk_imports/${visit.params.id}/cancel`);
  return { redirect: `${visit.base}${place}/${visit.params.id}` };
}

export const transferPages: readonly Page[] = [
  { path: way, signedIn: true, show: (visit) => newPage(visit) },
  { path: place, signedIn: true, show: listPage },
  { method: 'POST', path: place, show: begin },
  { path: `${place}/:id`, signedIn: true, show: transferPage, watch: watchTransfer },
  { method: 'POST', path: `${place}/:id/cancel`, show: cancel },
];
