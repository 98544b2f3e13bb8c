import {
  changeOwnEmail,
  changeOwnProfile,
  hiddenEmail,
  keepOwnEmail,
  type OwnAccountRules,
  type OwnProfile,
  privateEmail,
  rulesOfOwnAccount,
} from '../../people/own-account/public.ts';
import { alert, card, submit } from '../forms/card.ts';
import { drawField, type Field, readFields, submittedValues, type Values } from '../forms/fields.ts';
import type { Entity } from '../frame/api.ts';
import { type Html, html } from '../frame/html.ts';
import { csrfField } from '../frame/layout.ts';
import type { Outcome, Page, Visit } from '../frame/visit.ts';
import { actionButton } from '../planning/discussion.ts';
import { browserOf } from '../sign-in/session.ts';
import { longestPassword, ownerOf, passwordField, refusalReason } from './own-account.ts';
import { inAccount } from './section.ts';

const home = '/-/user_settings/profile';

type Choices = readonly (readonly [string, string])[];

/** The fields of the profile, in the order in which they are shown. */
function profileFields(addresses: readonly string[] = [], hidden = ''): readonly Field[] {
  const each: Choices = addresses.map((email) => [email, email]);
  return [
    { name: 'name', label: 'Full name', required: true },
    { name: 'pronouns', label: 'Pronouns' },
    {
      name: 'public_email',
      label: 'Public email',
      kind: 'select',
      hint: 'Shown on your profile',
      options: [['', 'Do not show an address'], ...each],
    },
    {
      name: 'commit_email',
      label: 'Commit email',
      kind: 'select',
      hint: 'The author of commits made on these pages',
      options: [['', 'Your email address'], [privateEmail, `Private: ${hidden}`], ...each],
    },
    { name: 'website_url', label: 'Website' },
    { name: 'location', label: 'Location' },
    { name: 'job_title', label: 'Job title' },
    { name: 'organization', label: 'Organization' },
    { name: 'linkedin', label: 'LinkedIn' },
    { name: 'twitter', label: 'X (formerly Twitter)' },
    { name: 'discord', label: 'Discord user ID' },
    { name: 'github', label: 'GitHub' },
    { name: 'bio', label: 'Bio', kind: 'area' },
    { name: 'private_profile', label: 'Private profile', kind: 'check', hint: 'Hides your activity from others' },
  ];
}

const statusFields: readonly Field[] = [
  { name: 'message', label: 'Status', hint: 'For example, what you are working on' },
  { name: 'emoji', label: 'Emoji', placeholder: 'speech_balloon' },
  {
    name: 'availability',
    label: 'You are',
    kind: 'select',
    options: [
      ['not_set', 'There'],
      ['busy', 'Busy'],
    ],
  },
];

/** The rejected form and its error. */
interface Problem {
  readonly of: 'status' | 'details' | 'email';
  readonly text: string;
}

async function profilePage(visit: Visit, problem?: Problem): Promise<Outcome> {
  const rules = await rulesOfOwnAccount(visit.services, ownerOf(visit));
  const of = (name: Problem['of']) => (problem?.of === name ? problem.text : undefined);
  const body = html`<h1>Profile</h1>${await statusCard(visit, of('status'))}${await detailsCard(visit, rules, of('details'))}${emailCard(visit, rules, of('email'))}`;
  return inAccount(visit, { title: 'Profile', body, ...(problem !== undefined && { status: 422 }) });
}

async function statusCard(visit: Visit, problem?: string): Promise<Html> {
  const values =
    problem === undefined ? await visit.api.get('/user/status') : submittedValues(statusFields, visit.form);
  const action = visit.base + home;
  return card(visit, { action, title: 'Status', fields: statusFields, values, button: 'Set status', problem });
}

async function detailsCard(visit: Visit, { nameLock }: OwnAccountRules, problem?: string): Promise<Html> {
  const user = ownerOf(visit);
  const { body: emails } = await visit.api.page('/user/emails', { per_page: 100 });
  const known: string[] = emails.flatMap((one: Entity) => (one.confirmed_at === null ? [] : [one.email]));
  const addresses = [user.email, ...known.filter((email) => email.toLowerCase() !== user.email.toLowerCase())];
  const fields = profileFields(addresses, hiddenEmail(user, visit.services.externalUrl));
  const stored: Values = { ...user, private_profile: user.private_profile === 1 };
  const values = problem === undefined ? stored : submittedValues(fields, visit.form);
  const locked = nameLock !== undefined;
  const name = locked && html`<p>Full name: <strong>${user.name}</strong><span class="hint">${nameLock}</span></p>`;
  const drawn = fields.flatMap((field) =>
    locked && field.name === 'name' ? [] : [drawField(field, values[field.name])],
  );
  return html`<form class="card" method="post" action="${visit.base}${home}/details">${csrfField(visit)}<h2>Details</h2>${alert(problem)}${name}${drawn}<div class="row"><button class="primary">Save</button></div></form>`;
}

function emailCard(visit: Visit, { emailLock, asksForPassword }: OwnAccountRules, problem?: string): Html {
  const { email, unconfirmed_email: requested } = ownerOf(visit);
  const waiting =
    requested !== null &&
    html`<div class="card"><p>Follow the link in the email to <strong>${requested}</strong> to confirm the address. Until then <strong>${email}</strong> stays yours.</p><p class="row"><a href="${visit.base}/users/confirmation/new">Send it again</a>${actionButton(visit, `${visit.base}${home}/email/keep`, 'Keep the current address')}</p></div>`;
  if (emailLock !== undefined) {
    return html`<div class="card"><h2>Email address</h2>${alert(problem)}<p><strong>${email}</strong><span class="hint">${emailLock}</span></p></div>`;
  }
  const typed = problem === undefined ? email : (visit.form.get('email') ?? '');
  return html`${waiting}<form class="card" method="post" action="${visit.base}${home}/email">${csrfField(visit)}<h2>Email address</h2>${alert(problem)}<label>Email<span class="hint">Notifications and new passwords are sent to it. A new address has to be confirmed first.</span><input type="email" name="email" required autocomplete="email" maxlength="254" value="${typed}"></label>${asksForPassword && passwordField}<div class="row"><button class="primary">Change the address</button></div></form>`;
}

const saveStatus = (visit: Visit): Promise<Outcome> => {
  const { emoji, ...sent } = readFields(statusFields, visit.form, 'keep');
  return submit(visit, {
    method: 'PUT',
    path: '/user/status',
    sent: emoji === '' ? sent : { ...sent, emoji },
    to: visit.base + home,
    notice: 'Saved.',
    again: (text) => profilePage(visit, { of: 'status', text }),
  });
};

/** Changes the account and returns to the page, with the error if it is refused. */
async function saving(visit: Visit, of: Problem['of'], notice: string, work: () => Promise<void>): Promise<Outcome> {
  try {
    await work();
  } catch (error) {
    return profilePage(visit, { of, text: refusalReason(error) });
  }
  return { redirect: visit.base + home, notice };
}

const saveDetails = (visit: Visit): Promise<Outcome> => {
  const fields = profileFields().filter(({ name, kind }) => kind === 'check' || visit.form.has(name));
  const sent = readFields(fields, visit.form, 'keep') as OwnProfile;
  return saving(visit, 'details', 'Saved.', () => changeOwnProfile(visit.services, ownerOf(visit), sent));
};

const saveEmail = (visit: Visit): Promise<Outcome> => {
  const sent = {
    email: (visit.form.get('email') ?? '').trim(),
    password: (visit.form.get('password') ?? '').slice(0, longestPassword),
  };
  return saving(visit, 'email', 'A new address has to be confirmed: look into your mailbox.', () =>
    changeOwnEmail(visit.services, ownerOf(visit), sent, browserOf(visit)),
  );
};

const keepEmail = (visit: Visit): Promise<Outcome> =>
  saving(visit, 'email', 'The requested address was given up.', () => keepOwnEmail(visit.services, ownerOf(visit)));

export const profilePages: readonly Page[] = [
  { path: home, signedIn: true, show: (visit) => profilePage(visit) },
  { method: 'POST', path: home, show: saveStatus },
  { method: 'POST', path: `${home}/details`, show: saveDetails },
  { method: 'POST', path: `${home}/email`, show: saveEmail },
  { method: 'POST', path: `${home}/email/keep`, show: keepEmail },
];
