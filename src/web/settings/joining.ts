import type { Collection, Section, SectionContext } from '../forms/collection.ts';
import { collectionPages } from '../forms/collection.ts';
import { splitList } from '../forms/fields.ts';
import { type Entity, refusalOf } from '../frame/api.ts';
import { relativeTime } from '../frame/format.ts';
import { type Html, html } from '../frame/html.ts';
import type { Outcome, Page } from '../frame/visit.ts';
import { roleName } from '../namespaces/roles.ts';
import { actionButton, userLink } from '../planning/discussion.ts';
import { membership, membershipValues, readMembership } from './membership.ts';

/** The result of inviting: who could not be invited, and why. */
function outcomeOf({ status, message }: Entity): Html {
  if (status !== 'error')
    return html`<p class="told" role="status">Invited. Users with an account are members now.</p>`;
  const problems = Object.entries(message ?? {}).map(([name, why]) => html`<li>${name}: ${String(why)}</li>`);
  return html`<div class="notice" role="alert"><p>Some invitations failed:</p><ul>${problems}</ul></div>`;
}

const invitations = (path: string, least: number): Collection => ({
  path: `${path}/invitations`,
  title: 'Invitations',
  intro: 'Invited people become members once they have an account with that address.',
  empty: 'No pending invitations.',
  list: '/invitations',
  least,
  idOf: ({ invite_email }) => invite_email,
  item: (one, { visit, home, role }) =>
    html`<strong>${one.invite_email}</strong> <span class="muted">${roleName(one.access_level)}${one.expires_at && ` until ${one.expires_at}`} · invited ${one.created_by_name && html`by ${one.created_by_name}`} ${relativeTime(one.created_at)}</span>${role >= least && actionButton(visit, `${home}${path}/invitations/again`, 'Resend', { email: one.invite_email, access_level: membershipValues(one).access_level, expires_at: one.expires_at ?? '' })}`,
  add: {
    title: 'Invite people',
    button: 'Invite',
    fields: async (context) => [
      { name: 'email', label: 'Email addresses', kind: 'words', required: true, hint: 'Comma-separated' },
      ...(await membership(context)),
    ],
    start: { access_level: '30' },
    prepare: ({ email, ...sent }) => ({
      ...readMembership(sent),
      email: Array.isArray(email) ? email.join(',') : email,
    }),
  },
  buttons: {
    revoke: { text: 'Revoke', method: 'DELETE', path: (email) => `/invitations/${encodeURIComponent(email)}` },
  },
  secret: outcomeOf,
});

/** An invitation sends only one e-mail, so it is replaced by a new one. */
async function inviteAgain({ visit, api, home }: SectionContext, path: string): Promise<Outcome> {
  const [email = ''] = splitList(visit.form.get('email') ?? '');
  const expires_at = visit.form.get('expires_at');
  await visit.api.send('DELETE', `${api}/invitations/${encodeURIComponent(email)}`);
  await visit.api.send('POST', `${api}/invitations`, {
    email,
    ...readMembership({ access_level: visit.form.get('access_level') }),
    ...(expires_at && { expires_at }),
  });
  return { redirect: `${home}${path}/invitations` };
}

const approvals = [
  ['guest', 10],
  ['reporter', 20],
  ['developer', 30],
] as const;

const requests = (path: string, least: number): Collection => ({
  path: `${path}/requests`,
  title: 'Access requests',
  empty: 'No access requests.',
  list: '/access_requests',
  least,
  item: (one, { visit }) =>
    html`${userLink(visit, one)} <span class="muted">@${one.username} · requested ${relativeTime(one.requested_at)}</span>`,
  buttons: {
    ...Object.fromEntries(
      approvals.map(([name, access_level]) => [
        name,
        {
          text: `Approve as ${roleName(access_level)}`,
          method: 'PUT' as const,
          path: (id: string) => `/access_requests/${encodeURIComponent(id)}/approve`,
          sent: { access_level },
        },
      ]),
    ),
    deny: { text: 'Deny', method: 'DELETE', path: (id) => `/access_requests/${encodeURIComponent(id)}` },
  },
});

/**
 * The form that requests or withdraws access, for users who are not members. The API does not tell whether a request is
 * pending.
 */
export function joinBox({ visit, home, role, project, group }: SectionContext, path: string): Html | false {
  const isOpen = (project ?? group)?.request_access_enabled !== false;
  if (!visit.user || role > 0 || !isOpen) return false;
  const requested = visit.query.get('asked');
  const withdraw = actionButton(visit, `${home}${path}/withdraw`, 'Withdraw the request');
  if (requested === '1' || requested === 'before')
    return html`<p class="told" role="status">You have${requested === 'before' && ' already'} requested access. It must be approved. ${withdraw}</p>`;
  const withdrawn = requested === 'no' && html`<p class="told" role="status">The request was withdrawn.</p>`;
  return html`${withdrawn}<p>You are not a member. ${actionButton(visit, `${home}${path}/join`, 'Request access')}</p>`;
}

async function join({ visit, api, home }: SectionContext, path: string): Promise<Outcome> {
  const answer = await visit.api.ask('POST', `${api}/access_requests`);
  if (answer.status < 300) return { redirect: `${home}${path}?asked=1` };
  const { reason } = refusalOf(answer);
  if (answer.status === 400 && reason.includes('already been taken'))
    return { redirect: `${home}${path}?asked=before` };
  throw refusalOf(answer);
}

async function withdraw({ visit, api, home }: SectionContext, path: string): Promise<Outcome> {
  await visit.api.send('DELETE', `${api}/access_requests/${visit.user?.id}`);
  return { redirect: `${home}${path}?asked=no` };
}

/** Invitations and access requests, below the list of members; `least` is the access level for managing them. */
export const joiningPages = (section: Section, prefix: string, path: string, least: number): Page[] => [
  ...collectionPages(section, prefix, invitations(path, least)),
  ...collectionPages(section, prefix, requests(path, least)),
  section({
    method: 'POST',
    path: `${prefix}${path}/invitations/again`,
    show: (context) => inviteAgain(context, path),
  }),
  section({ method: 'POST', path: `${prefix}${path}/join`, show: (context) => join(context, path) }),
  section({ method: 'POST', path: `${prefix}${path}/withdraw`, show: (context) => withdraw(context, path) }),
];
