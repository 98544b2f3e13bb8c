import {
  type AccountEmail,
  isResetOpen,
  requestAccountEmail,
  resetPassword,
  SignInRefused,
} from '../../people/sessions/public.ts';
import { Invalid } from '../../platform/http/errors.ts';
import { html } from '../frame/html.ts';
import { layout } from '../frame/layout.ts';
import type { Outcome, Page, Visit } from '../frame/visit.ts';
import { passwordHint } from './sign-up.ts';

/** The e-mails that can be requested, with the responses, which are the same for known and unknown addresses. */
const messages = {
  password: {
    title: 'Reset password',
    button: 'Reset password',
    asked:
      'If your email address exists in our database, you will receive a password recovery link at your email address in a few minutes.',
  },
  confirmation: {
    title: 'Resend confirmation',
    button: 'Resend',
    asked:
      'If your email address exists in our database, you will receive an email with instructions for how to confirm your email address in a few minutes.',
  },
} as const satisfies Record<AccountEmail, object>;

function messagePage(visit: Visit, title: string, text: string): Outcome {
  const body = html`<div class="card narrow"><h1>${title}</h1><p class="notice" role="status">${text}</p>
<p><a href="${visit.base}/users/sign_in">Sign in</a></p></div>`;
  return { page: layout(visit, { title, body }) };
}

/** The response to the form is a page rather than a redirect, which Turbo would not show. */
function askingPage(visit: Visit, kind: AccountEmail, problem?: string): Outcome {
  const { title, button } = messages[kind];
  const body = html`<form class="card narrow" method="post" action="${visit.base}/users/${kind}" data-turbo="false"><h1>${title}</h1>
${problem !== undefined && html`<p class="notice" role="alert">${problem}</p>`}
<label>Email<input type="email" name="user[email]" required autocomplete="email" maxlength="320"></label>
<button class="primary">${button}</button></form>`;
  return { page: layout(visit, { title, body }), status: problem === undefined ? 200 : 429 };
}

async function ask(visit: Visit, kind: AccountEmail): Promise<Outcome> {
  try {
    await requestAccountEmail(visit.services, kind, visit.form.get('user[email]') ?? '', visit.request.ip);
  } catch (error) {
    if (error instanceof SignInRefused) return askingPage(visit, kind, error.message);
    throw error;
  }
  return messagePage(visit, messages[kind].title, messages[kind].asked);
}

const tokenOf = (values: URLSearchParams) => (values.get('reset_password_token') ?? '').slice(0, 4000);

async function choosingPage(visit: Visit, token: string, problem?: string): Promise<Outcome> {
  const hint = passwordHint(await visit.services.settings.read());
  const body = html`<form class="card narrow" method="post" action="${visit.base}/users/password/edit" data-turbo="false"><h1>Choose a new password</h1>
${problem !== undefined && html`<p class="notice" role="alert">${problem}</p>`}
<input type="hidden" name="reset_password_token" value="${token}">
<label>New password<span class="hint">${hint}</span><input type="password" name="user[password]" required autocomplete="new-password"></label>
<p class="muted">All sessions will be signed out.</p>
<button class="primary">Save password</button></form>`;
  return { page: layout(visit, { title: 'Password', body }), status: problem === undefined ? 200 : 422 };
}

function spentPage(visit: Visit): Outcome {
  const body = html`<div class="card narrow"><h1>The link is not valid</h1>
<p>It has expired after six hours, was used already, or is incomplete.</p>
<p><a href="${visit.base}/users/password/new">Request another one</a></p></div>`;
  return { page: layout(visit, { title: 'Password', body }), status: 404 };
}

async function choose(visit: Visit): Promise<Outcome> {
  const token = tokenOf(visit.query);
  return (await isResetOpen(visit.services, token)) ? choosingPage(visit, token) : spentPage(visit);
}

async function save(visit: Visit): Promise<Outcome> {
  const token = tokenOf(visit.form);
  try {
    const password = (visit.form.get('user[password]') ?? '').slice(0, 1000);
    if (!(await resetPassword(visit.services, token, password))) return spentPage(visit);
  } catch (error) {
    if (error instanceof Invalid) {
      return choosingPage(visit, token, `The password ${(error.errors.password ?? []).join(', ')}.`);
    }
    throw error;
  }
  return messagePage(visit, 'Password', 'Your password has been changed successfully.');
}

/** Pages for resetting a password and resending a confirmation, without signing in. */
export const passwordPages: readonly Page[] = [
  { path: '/users/password/new', show: (visit) => askingPage(visit, 'password') },
  { method: 'POST', path: '/users/password', withoutToken: true, show: (visit) => ask(visit, 'password') },
  { path: '/users/password/edit', show: choose },
  { method: 'POST', path: '/users/password/edit', withoutToken: true, show: save },
  { path: '/users/confirmation/new', show: (visit) => askingPage(visit, 'confirmation') },
  { method: 'POST', path: '/users/confirmation', withoutToken: true, show: (visit) => ask(visit, 'confirmation') },
];
