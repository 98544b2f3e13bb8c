import { trimCharacters } from '../../platform/trim.ts';
import { card, submit } from '../forms/card.ts';
import { type Field, readFields, submittedValues } from '../forms/fields.ts';
import type { Entity } from '../frame/api.ts';
import { type Html, html } from '../frame/html.ts';
import { csrfField, layout } from '../frame/layout.ts';
import type { Outcome, Page, Visit } from '../frame/visit.ts';
import { type GroupContext, groupPage, inGroup } from '../namespaces/group.ts';
import { inGroupSettings } from '../namespaces/sections.ts';
import { actionButton } from '../planning/discussion.ts';
import { visibilities } from './project.ts';

const name: Field = { name: 'name', label: 'Name', required: true };
const path = { name: 'path', label: 'Path' };

const others: readonly Field[] = [
  { name: 'description', label: 'Description', kind: 'area' },
  { name: 'visibility', label: 'Visibility', kind: 'select', options: visibilities },
];

const more: readonly Field[] = [
  {
    name: 'project_creation_level',
    label: 'Who may create projects',
    kind: 'select',
    options: [
      ['developer', 'Developers and above'],
      ['maintainer', 'Maintainers and above'],
      ['noone', 'Nobody'],
    ],
  },
  {
    name: 'subgroup_creation_level',
    label: 'Who may create subgroups',
    kind: 'select',
    options: [
      ['maintainer', 'Maintainers and above'],
      ['owner', 'Owners'],
    ],
  },
  { name: 'request_access_enabled', label: 'Users can request access', kind: 'check' },
  { name: 'require_two_factor_authentication', label: 'Require two-factor authentication for members', kind: 'check' },
  { name: 'two_factor_grace_period', label: 'Grace period in hours', kind: 'number' },
];

const all: readonly Field[] = [
  name,
  { ...path, required: true, hint: 'Part of the URL; the old path is redirected' },
  ...others,
  ...more,
];

const starting: readonly Field[] = [
  name,
  { ...path, hint: 'Part of the URL; default: derived from the name' },
  ...others,
];

/** The form that transfers a group, with up to 100 target groups. */
async function transferForm({ visit, api, home, group }: GroupContext): Promise<Html | false> {
  const places = await visit.api.maybe(`${api}/transfer_locations`, { per_page: 100 });
  if (!places) return false;
  const option = (one: Entity) => html`<option value="${one.id}">${one.full_path ?? one.full_name}</option>`;
  const top = group.parent_id !== null && html`<option value="">Top level</option>`;
  return html`<h2>Move</h2><form class="card" method="post" action="${home}/-/transfer">${csrfField(visit)}<label>Transfer the group to another parent<span class="hint">The path changes</span><select name="group_id">${top}${places.map(option)}</select></label><div class="row"><button${places.length === 0 && top === false && html` disabled`}>Move the group</button></div></form>`;
}

async function transfer(context: GroupContext): Promise<Outcome> {
  const { visit, api } = context;
  const group_id = visit.form.get('group_id') ?? '';
  return submit(visit, {
    method: 'POST',
    path: `${api}/transfer`,
    sent: group_id === '' ? {} : { group_id },
    to: (moved) => `${visit.base}/groups/${moved.full_path}/-/edit`,
    again: (problem) => editPage(context, problem),
  });
}

async function editPage(context: GroupContext, problem?: string): Promise<Outcome> {
  const { visit, group, home } = context;
  const form = card(visit, {
    action: `${home}/-/edit`,
    fields: all,
    values: problem === undefined ? group : { ...group, ...submittedValues(all, visit.form) },
    button: 'Save',
    problem,
  });
  const scheduled = group.marked_for_deletion_on;
  const remove = html`<h2>Delete</h2>${scheduled ? html`<p>It is deleted on ${scheduled}. ${actionButton(visit, `${home}/-/restore`, 'Keep it')}</p>` : html`<form class="card" method="post" action="${home}/-/delete">${csrfField(visit)}<label>Type <code>${group.full_path}</code> to delete the group and everything in it<input name="confirm" required autocomplete="off"></label><div class="row"><button class="danger">Delete the group</button></div></form>`}`;
  const body = inGroupSettings(context, html`<h1>Settings</h1>${form}${await transferForm(context)}${remove}`);
  return inGroup(context, { title: 'Settings', tab: 'edit', body, ...(problem !== undefined && { status: 422 }) });
}

async function save(context: GroupContext): Promise<Outcome> {
  const { visit, api, base } = { ...context, base: context.visit.base };
  return submit(visit, {
    method: 'PUT',
    path: api,
    sent: readFields(all, visit.form, 'keep'),
    to: (group) => `${base}/groups/${group.full_path}/-/edit`,
    notice: 'Saved.',
    again: (problem) => editPage(context, problem),
  });
}

async function remove(context: GroupContext): Promise<Outcome> {
  const { visit, api, group } = context;
  if (visit.form.get('confirm') !== group.full_path)
    return editPage(context, 'The path does not match: nothing was deleted.');
  await visit.api.send('DELETE', api);
  return { redirect: `${visit.base}/` };
}

async function restore({ visit, api }: GroupContext): Promise<Outcome> {
  const { full_path } = await visit.api.send('POST', `${api}/restore`);
  return { redirect: `${visit.base}/groups/${full_path}/-/edit`, notice: 'The deletion was canceled.' };
}

/** Derives a path from the group's name. */
const pathFrom = (text: string) =>
  trimCharacters(
    text
      .toLowerCase()
      .normalize('NFD')
      .replace(/\p{M}/gu, '')
      .replace(/[^a-z0-9]+/g, '-'),
    '-',
  );

async function newPage(visit: Visit, problem?: string): Promise<Outcome> {
  const parents = await visit.api.get('/groups', { min_access_level: 40, per_page: 100 });
  const parent: Field = {
    name: 'parent_id',
    label: 'Below',
    kind: 'rank',
    options: [
      ['', 'No other group'],
      ...parents.map(({ id, full_path }: { id: number; full_path: string }) => [String(id), full_path] as const),
    ],
  };
  const values =
    problem === undefined
      ? { parent_id: visit.query.get('parent_id') }
      : submittedValues([...starting, parent], visit.form);
  const form = card(visit, {
    action: `${visit.base}/groups`,
    fields: [...starting, parent],
    values,
    button: 'Create group',
    problem,
  });
  const body = html`<h1>New group</h1><p class="muted">A group contains projects and members. To import an exported group, use <a href="${visit.base}/import/gitlab_group/new">its file</a>.</p>${form}`;
  return { page: layout(visit, { title: 'New group', body }), ...(problem !== undefined && { status: 422 }) };
}

async function create(visit: Visit): Promise<Outcome> {
  const parent: Field = { name: 'parent_id', label: '', kind: 'rank', options: [] };
  return submit(visit, {
    method: 'POST',
    path: '/groups',
    sent: { path: pathFrom(visit.form.get('name') ?? ''), ...readFields([...starting, parent], visit.form) },
    to: (group) => `${visit.base}/${group.full_path}`,
    again: (problem) => newPage(visit, problem),
  });
}

export const newGroupPages: readonly Page[] = [
  { path: '/groups/new', signedIn: true, show: (visit) => newPage(visit) },
  { method: 'POST', path: '/groups', show: create },
];

export const groupSettingsPages: readonly Page[] = [
  groupPage({ path: '/groups/:path/-/edit', signedIn: true, show: (context) => editPage(context) }),
  groupPage({ method: 'POST', path: '/groups/:path/-/edit', show: save }),
  groupPage({ method: 'POST', path: '/groups/:path/-/transfer', show: transfer }),
  groupPage({ method: 'POST', path: '/groups/:path/-/delete', show: remove }),
  groupPage({ method: 'POST', path: '/groups/:path/-/restore', show: restore }),
];
