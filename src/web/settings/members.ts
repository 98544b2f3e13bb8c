import { type Collection, collectionPages, type Section, type SectionContext } from '../forms/collection.ts';
import type { Field } from '../forms/fields.ts';
import { listOr } from '../frame/format.ts';
import { html } from '../frame/html.ts';
import { pageOf, pager } from '../frame/paging.ts';
import type { Outcome, Page, Visit } from '../frame/visit.ts';
import { roleName, roles } from '../namespaces/roles.ts';

const role: readonly Field[] = [
  { name: 'access_level', label: 'Role', kind: 'rank', options: roles },
  { name: 'expires_at', label: 'Until', kind: 'date', hint: 'Empty for as long as nobody changes it' },
];

const guidelines = ({ look: { appearance } }: Visit) =>
  appearance.member_guidelines.trim() !== '' && html`<p class="guidelines">${appearance.member_guidelines}</p>`;

const one = (id: string) => `/members/${encodeURIComponent(id)}`;

const members = (path: string): Collection => ({
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
async function everybody(context: SectionContext): Promise<Outcome> {
  const { visit, api } = context;
  const answer = await visit.api.page(`${api}/members/all`, { per_page: 50, page: pageOf(visit) });
  const item = (member: { username: string; name: string; access_level: number }) =>
    html`<li class="row"><a class="main" href="${visit.base}/${member.username}">${member.name}</a><span class="muted">@${member.username}</span><span class="end">${roleName(member.access_level)}</span></li>`;
  const body = html`<h1>Members, with those of the groups above</h1>${listOr(answer.body, item, 'No member that you may see.')}${pager(visit, answer)}`;
  return context.show({ title: 'Members', body });
}

export function memberPages(section: Section, prefix: string, path: string): Page[] {
  return [
    ...collectionPages(section, prefix, {
      ...members(path),
      intro: ({ visit }) =>
        html`<a href="${path.slice(path.lastIndexOf('/') + 1)}/all">With those of the groups above</a>${guidelines(visit)}`,
    }),
    section({ path: `${prefix}${path}/all`, show: everybody }),
  ];
}
