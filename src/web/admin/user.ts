import { layoutInSection } from '../account/section.ts';
import { alert } from '../forms/card.ts';
import { type Collection, collectionPages, type Section, type SectionContext } from '../forms/collection.ts';
import { type Entity, refusalOf } from '../frame/api.ts';
import { badge, count, listOr, relativeTime } from '../frame/format.ts';
import { type Html, html, type Part } from '../frame/html.ts';
import { csrfField } from '../frame/layout.ts';
import { pageOf, pager } from '../frame/paging.ts';
import type { Outcome, Page } from '../frame/visit.ts';
import { pageNotFound } from '../namespaces/project.ts';
import { adminAccessLevel, roleName } from '../namespaces/roles.ts';
import { actionButton } from '../planning/discussion.ts';
import { secretNotice, tokenLine, tokenScopes } from '../settings/tokens.ts';
import { adminLinks, adminSection } from './section.ts';
import { acts, states, user } from './users.ts';

interface UserContext extends SectionContext {
  readonly person: Entity;
}

const views: readonly (readonly [text: string, path: string])[] = [
  ['Account', ''],
  ['Memberships', '/memberships'],
  ['SSH keys', '/keys'],
  ['GPG keys', '/gpg_keys'],
  ['Emails', '/emails'],
  ['Impersonation tokens', '/impersonation_tokens'],
];

/** Admin pages about one user. */
const userSection = (
  show: (context: UserContext) => Promise<Outcome> | Outcome,
  page: Omit<Page, 'show' | 'watch'>,
): Page =>
  adminSection({
    ...page,
    async show({ visit, ...context }) {
      const found = await visit.api.get(user(visit.params.id ?? ''));
      const home = `${visit.base}/admin/users/${found.id}`;
      const here = visit.base + visit.path;
      const link = ([text, path]: (typeof views)[number]) =>
        html`<a href="${home}${path}"${home + path === here && html` aria-current="page"`}>${text}</a>`;
      const nav = html`<nav class="row views" aria-label="Views">${views.map(link)}</nav>`;
      return show({
        ...context,
        visit,
        person: found,
        api: user(String(found.id)),
        home,
        role: adminAccessLevel,
        show: ({ title, body, ...frame }) =>
          layoutInSection(visit, 'Administration', adminLinks, {
            ...frame,
            title: title === found.name ? title : `${title} of ${found.name}`,
            within: [{ text: 'Users', href: `${visit.base}/admin/users` }],
            body: html`${nav}${body}`,
          }),
      });
    },
  });

const section: Section = ({ show, ...page }) => userSection(show, page);

function details(one: Entity): Html {
  const rows: readonly (readonly [string, Part])[] = [
    ['Email', one.email],
    ['Came', relativeTime(one.created_at)],
    ['Created by', one.created_by?.name],
    ['Confirmed', relativeTime(one.confirmed_at) ?? 'not yet'],
    ['Last seen', one.last_activity_on ?? 'never'],
    [
      'Signed in',
      one.current_sign_in_at
        ? html`${relativeTime(one.current_sign_in_at)} from ${one.current_sign_in_ip}, ${one.sign_in_count} times`
        : 'never',
    ],
    ['Two-factor authentication', one.two_factor_enabled ? 'on' : 'off'],
    [
      'Directories',
      one.identities.map(({ provider, extern_uid }: Entity) => `${provider}: ${extern_uid}`).join(', ') || 'none',
    ],
    ['Personal projects', `${one.projects_limit} at most`],
    ['Note', one.note],
  ];
  const row = ([name, value]: (typeof rows)[number]) =>
    value !== null &&
    value !== undefined &&
    value !== '' &&
    html`<tr><th scope="row">${name}</th><td>${value}</td></tr>`;
  return html`<table>${rows.map(row)}</table>`;
}

/** Explains the two ways to delete a user, which differ in what happens to their contributions. */
const removal = ({ visit, home, person: one }: UserContext): Html =>
  html`<h2>Delete</h2><form class="card" method="post" action="${home}/remove">${csrfField(visit)}<label class="tick"><input type="checkbox" name="hard_delete" value="true"> Delete contributions too<span class="hint">Deletes their issues, comments, merge requests and groups without other owners. Otherwise these are assigned to the ghost user.</span></label><label>Type <code>${one.username}</code> to delete the account<input name="confirm" required autocomplete="off"></label><div class="row"><button class="danger">Delete account</button></div></form>`;

async function accountPage(context: UserContext, problem?: string): Promise<Outcome> {
  const { visit, home, person: one } = context;
  const counts = await visit.api.maybe(`${context.api}/associations_count`);
  const buttons = Object.entries(acts)
    .filter(([, { when }]) => when(one) && one.id !== visit.user?.id)
    .map(([action, { text }]) => actionButton(visit, `${home}/act`, text, { action }));
  const has =
    counts &&
    html`<p class="muted">Has ${count(counts.groups_count, 'group')}, ${count(counts.projects_count, 'project')}, ${count(counts.issues_count, 'issue')} and ${count(counts.merge_requests_count, 'merge request')}.</p>`;
  const body = html`<div class="row"><h1>${one.name}</h1><span class="muted">@${one.username}</span>${states(one)}<span class="end row"><a class="button" href="${visit.base}/${one.username}">Profile</a><a class="button" href="${visit.base}/admin/users/edit?id=${one.id}">Edit</a></span></div>${alert(problem)}${details(one)}${has}<div class="row">${buttons}</div>${one.id !== visit.user?.id && removal(context)}`;
  return context.show({ title: one.name, body, ...(problem !== undefined && { status: 422 }) });
}

async function act(context: UserContext): Promise<Outcome> {
  const { visit, api, home } = context;
  const name = visit.form.get('action') ?? '';
  const chosen = Object.hasOwn(acts, name) ? acts[name] : undefined;
  if (!chosen) throw pageNotFound();
  const answer = await visit.api.ask(chosen.method ?? 'POST', `${api}/${name}`);
  const refusal = answer.status >= 300 ? refusalOf(answer) : undefined;
  // Show the API's refusal on the page; it does not mean that the page itself is forbidden.
  if (answer.status === 403 || answer.status === 409) return accountPage(context, refusal?.reason);
  if (refusal) throw refusal;
  return { redirect: name === 'reject' ? `${visit.base}/admin/users` : home };
}

async function remove(context: UserContext): Promise<Outcome> {
  const { visit, api, person: one } = context;
  if (visit.form.get('confirm') !== one.username) {
    return accountPage(context, 'The name does not match: nothing was deleted.');
  }
  const answer = await visit.api.ask('DELETE', api, { hard_delete: visit.form.get('hard_delete') === 'true' });
  if (answer.status === 409) return accountPage(context, refusalOf(answer).reason);
  if (answer.status >= 300) throw refusalOf(answer);
  return { redirect: `${visit.base}/admin/users` };
}

async function memberships(context: UserContext): Promise<Outcome> {
  const { visit, api } = context;
  const answer = await visit.api.page(`${api}/memberships`, { per_page: 50, page: pageOf(visit) });
  const item = (one: Entity) =>
    html`<li class="row"><span class="main">${one.source_name}</span><span class="muted">${one.source_type === 'Namespace' ? 'group' : 'project'} ${one.source_id}</span><span class="end">${roleName(one.access_level)}</span></li>`;
  const body = html`<h1>Memberships</h1>${listOr(answer.body, item, 'No memberships.')}${pager(visit, answer)}`;
  return context.show({ title: 'Memberships', body });
}

const keyLine = (key: Entity) =>
  html`<strong>${key.title ?? `Key ${key.id}`}</strong><p class="muted"><code>${key.key.slice(0, 80)}</code> · added ${relativeTime(key.created_at)}</p>`;

const removable = (path: string, text: string): Collection['buttons'] => ({
  remove: { text, method: 'DELETE', path: (id) => `${path}/${encodeURIComponent(id)}` },
});

const ofUser: readonly Collection[] = [
  {
    path: '/keys',
    title: 'SSH keys',
    empty: 'No SSH keys.',
    list: '/keys',
    item: keyLine,
    add: {
      title: 'Add a key',
      button: 'Add key',
      fields: [
        { name: 'title', label: 'Title', required: true },
        { name: 'key', label: 'Public key', kind: 'area', required: true, placeholder: 'ssh-ed25519 …' },
      ],
    },
    buttons: removable('/keys', 'Remove'),
  },
  {
    path: '/gpg_keys',
    title: 'GPG keys',
    empty: 'No GPG keys.',
    list: '/gpg_keys',
    item: keyLine,
    buttons: removable('/gpg_keys', 'Remove'),
  },
  {
    path: '/emails',
    title: 'Emails',
    empty: 'No other addresses.',
    list: '/emails',
    item: (email) => html`${email.email} ${email.confirmed_at === null && badge('unresolved', 'not confirmed')}`,
    add: {
      title: 'Add an address',
      button: 'Add address',
      fields: [
        { name: 'email', label: 'Email', kind: 'email', required: true },
        { name: 'skip_confirmation', label: 'Skip confirmation', kind: 'check' },
      ],
    },
    buttons: removable('/emails', 'Remove'),
  },
  {
    path: '/impersonation_tokens',
    title: 'Impersonation tokens',
    intro: 'These tokens authenticate as this user.',
    empty: 'No tokens.',
    list: '/impersonation_tokens',
    query: { state: 'active' },
    item: tokenLine,
    add: {
      title: 'New token',
      button: 'Create token',
      fields: [
        { name: 'name', label: 'Name', required: true },
        { name: 'expires_at', label: 'Until', kind: 'date', required: true },
        { name: 'scopes', label: 'Scopes', kind: 'checks', options: tokenScopes },
      ],
    },
    buttons: removable('/impersonation_tokens', 'Revoke'),
    secret: (created) => secretNotice(created.token),
  },
];

const prefix = '/admin/users/:id';

export const userPages: readonly Page[] = [
  userSection((context) => accountPage(context), { path: prefix, signedIn: true }),
  userSection(act, { method: 'POST', path: `${prefix}/act` }),
  userSection(remove, { method: 'POST', path: `${prefix}/remove` }),
  userSection(memberships, { path: `${prefix}/memberships`, signedIn: true }),
  ...ofUser.flatMap((collection) => collectionPages(section, prefix, collection)),
];
