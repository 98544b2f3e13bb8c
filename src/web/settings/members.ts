import { type Collection, collectionPages, type Section, type SectionContext } from '../forms/collection.ts';
import { splitList } from '../forms/fields.ts';
import type { Entity } from '../frame/api.ts';
import { listOr } from '../frame/format.ts';
import { html } from '../frame/html.ts';
import { pageOf, pager } from '../frame/paging.ts';
import type { Outcome, Page, Visit } from '../frame/visit.ts';
import { userIds } from '../planning/item-fields.ts';
import { joinBox, joiningPages } from './joining.ts';
import { membership, membershipValues, readMembership, roleOf } from './membership.ts';

const guidelines = ({ look: { appearance } }: Visit) =>
  appearance.member_guidelines.trim() !== '' && html`<p class="guidelines">${appearance.member_guidelines}</p>`;

const one = (id: string) => `/members/${encodeURIComponent(id)}`;

const members = (path: string, least: number): Collection => ({
  path,
  title: 'Members',
  empty: 'No direct members; there may be inherited ones.',
  list: '/members',
  open: true,
  least,
  item: (member, { visit }) =>
    html`<a class="main" href="${visit.base}/${member.username}">${member.name}</a> <span class="muted">@${member.username} · ${roleOf(member)}${member.expires_at && ` until ${member.expires_at}`}</span>`,
  add: {
    title: 'Add a member',
    button: 'Add member',
    fields: async (context) => [
      { name: 'username', label: 'Username', required: true },
      ...(await membership(context)),
    ],
    start: { access_level: '30' },
    // An unknown user name is reported on the form.
    prepare: async ({ username, ...sent }, { visit }) => ({
      ...readMembership(sent),
      user_id: (await userIds(visit, splitList(String(username)))).join(','),
    }),
  },
  edit: {
    fields: [],
    fieldsOf: (_id, context) => membership(context),
    method: 'PUT',
    path: one,
    valuesOf: membershipValues,
    prepare: readMembership,
  },
  buttons: { remove: { text: 'Remove', method: 'DELETE', path: one } },
});

/** Lists all members, including inherited ones. */
async function allMembersPage(context: SectionContext): Promise<Outcome> {
  const { visit, api } = context;
  const answer = await visit.api.page(`${api}/members/all`, { per_page: 50, page: pageOf(visit) });
  const item = (member: Entity) =>
    html`<li class="row"><a class="main" href="${visit.base}/${member.username}">${member.name}</a><span class="muted">@${member.username}</span><span class="end">${roleOf(member)}</span></li>`;
  const body = html`<h1>Members, with those of the groups above</h1>${listOr(answer.body, item, 'No visible members.')}${pager(visit, answer)}`;
  return context.show({ title: 'Members', body });
}

/** Links to inherited members, invitations and access requests. */
function ways(context: SectionContext, path: string, least: number) {
  const { home, role } = context;
  const link = (below: string, text: string) => html`<a href="${home}${path}${below}">${text}</a>`;
  const admits = role >= least && html`${link('/invitations', 'Invitations')}${link('/requests', 'Access requests')}`;
  return html`<p class="row">${link('/all', 'With those of the groups above')}${admits}</p>`;
}

/** `least` is the access level for managing members. */
export function memberPages(section: Section, prefix: string, path: string, least: number): Page[] {
  return [
    ...collectionPages(section, prefix, {
      ...members(path, least),
      intro: (context) => html`${ways(context, path, least)}${guidelines(context.visit)}${joinBox(context, path)}`,
    }),
    section({ path: `${prefix}${path}/all`, show: allMembersPage }),
    ...joiningPages(section, prefix, path, least),
  ];
}
