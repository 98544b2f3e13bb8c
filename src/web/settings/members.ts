import type { Field } from '../forms/fields.ts';
import { type Enter, type Ledger, ledgerPages, type Room } from '../forms/ledger.ts';
import { listOr } from '../frame/format.ts';
import { html } from '../frame/html.ts';
import { pageOf, pager } from '../frame/paging.ts';
import type { Outcome, Page } from '../frame/visit.ts';
import { roleName, roles } from '../places/roles.ts';

const role: readonly Field[] = [
  { name: 'access_level', label: 'Role', kind: 'rank', options: roles },
  { name: 'expires_at', label: 'Until', kind: 'date', hint: 'Empty for as long as nobody changes it' },
];

const one = (id: string) => `/members/${encodeURIComponent(id)}`;

const members = (path: string): Ledger => ({
  path,
  title: 'Members',
  empty: 'Nobody is a member here; those of the groups above may be.',
  list: '/members',
  open: true,
  least: 40,
  item: (member, { visit }) =>
    html`<a class="main" href="${visit.base}/${member.username}">${member.name}</a> <span class="muted">@${member.username} · ${roleName(member.access_level)}${member.expires_at && ` until ${member.expires_at}`}</span>`,
  add: {
    title: 'Add a member',
    button: 'Add member',
    fields: [{ name: 'username', label: 'User name', required: true }, ...role],
    start: { access_level: '30' },
  },
  edit: { fields: role, method: 'PUT', path: one },
  buttons: { remove: { text: 'Remove', method: 'DELETE', path: one } },
});

/** Everybody who may do something here, those of the groups above included. */
async function everybody(room: Room): Promise<Outcome> {
  const { visit, api } = room;
  const answer = await visit.api.page(`${api}/members/all`, { per_page: 50, page: pageOf(visit) });
  const item = (member: { username: string; name: string; access_level: number }) =>
    html`<li class="row"><a class="main" href="${visit.base}/${member.username}">${member.name}</a><span class="muted">@${member.username}</span><span class="end">${roleName(member.access_level)}</span></li>`;
  const body = html`<h1>Members, with those of the groups above</h1>${listOr(answer.body, item, 'No member that you may see.')}${pager(visit, answer)}`;
  return room.show({ title: 'Members', body });
}

export function memberPages(enter: Enter, prefix: string, path: string): Page[] {
  return [
    ...ledgerPages(enter, prefix, {
      ...members(path),
      intro: html`<a href="${path.slice(path.lastIndexOf('/') + 1)}/all">With those of the groups above</a>`,
    }),
    enter({ path: `${prefix}${path}/all`, show: everybody }),
  ];
}
