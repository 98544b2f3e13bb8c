import { changeOwnPassword, passwordLock, SignInRefused, signIn, signOut } from '../../people/sessions/public.ts';
import { Invalid } from '../../platform/http/errors.ts';
import { Refusal } from '../frame/api.ts';
import { dismissal } from '../frame/broadcasts.ts';
import { html } from '../frame/html.ts';
import { csrfField, layout } from '../frame/layout.ts';
import { namedAddress } from '../frame/named-address.ts';
import { asTheme, themeCookie } from '../frame/theme.ts';
import type { Outcome, Page, Visit } from '../frame/visit.ts';
import { externalRedirectPage } from './external-redirect.ts';
import { automaticSignIn, signInAddress } from './providers.ts';
import { askForCode } from './second-factor.ts';
import { beginSession, browserOf, endCookie, safeRedirectTarget } from './session.ts';
import { signInPage } from './sign-in-page.ts';
import { passwordHint } from './sign-up.ts';

async function enter(visit: Visit): Promise<Outcome> {
  const { form, services } = visit;
  const redirect = safeRedirectTarget(form.get('redirect'), visit.base);
  try {
    const login = (form.get('user[login]') ?? '').slice(0, 500).trim();
    const password = (form.get('user[password]') ?? '').slice(0, 1000);
    const remember = form.get('user[remember_me]') === '1';
    const entered = await signIn(services, { login, password, remember }, browserOf(visit));
    if ('halfway' in entered) return askForCode(visit, entered, redirect);
    beginSession(visit, entered);
  } catch (error) {
    if (error instanceof SignInRefused) return signInPage(visit, error.message);
    throw error;
  }
  return { redirect };
}

async function leave(visit: Visit): Promise<Outcome> {
  await signOut(visit.services, visit.request.headers.cookie);
  endCookie(visit);
  const { after_sign_out_path: path } = await visit.services.settings.read();
  const named = namedAddress(visit, path);
  if (named?.elsewhere) return externalRedirectPage({ ...visit, user: null }, named.address, 'You are signed out');
  return { redirect: named?.address ?? (await signInAddress(visit)) };
}

/** Instead of the form, for users whose password is in a directory. */
function lockedPage(visit: Visit, why: string): Outcome {
  const body = html`<div class="card narrow"><h1>Change your password</h1><p>${why}</p></div>`;
  return { page: layout(visit, { title: 'Password', body }) };
}

async function showPasswordPage(visit: Visit): Promise<Outcome> {
  const lock = visit.user ? await passwordLock(visit.services, visit.user) : undefined;
  return lock === undefined ? passwordPage(visit) : lockedPage(visit, lock);
}

async function passwordPage(visit: Visit, problem?: string): Promise<Outcome> {
  const hint = passwordHint(await visit.services.settings.read());
  const forced = visit.path.endsWith('/new');
  const body = html`<form class="card narrow" method="post" action="${visit.base}${visit.path}"><h1>${forced ? 'Choose a new password' : 'Change your password'}</h1>${csrfField(visit)}
${forced && html`<p>Your password was set by an administrator. Choose a new one to continue.</p>`}
${problem !== undefined && html`<p class="notice" role="alert">${problem}</p>`}
<label>Current password<input type="password" name="current" required autocomplete="current-password"></label>
<label>New password<span class="hint">${hint}</span><input type="password" name="next" required autocomplete="new-password"></label>
<p class="muted">All other sessions will be signed out.</p>
<button class="primary">Save password</button></form>`;
  return { page: layout(visit, { title: 'Password', body }), status: problem === undefined ? 200 : 422 };
}

async function savePassword(visit: Visit): Promise<Outcome> {
  const { form, user, services } = visit;
  if (!user) throw new Refusal(401, '');
  const passwords = { current: form.get('current') ?? '', next: (form.get('next') ?? '').slice(0, 1000) };
  try {
    beginSession(visit, await changeOwnPassword(services, user, passwords, browserOf(visit)));
  } catch (error) {
    if (error instanceof SignInRefused) return passwordPage(visit, error.message);
    if (error instanceof Invalid)
      return passwordPage(visit, `The password ${(error.errors.password ?? []).join(', ')}.`);
    throw error;
  }
  return { redirect: `${visit.base}/` };
}

/** Needs no CSRF token, only the origin check: it sets nothing but the user's own theme. */
function chooseTheme(visit: Visit): Outcome {
  visit.reply.header('set-cookie', themeCookie(visit, asTheme(visit.form.get('theme'))));
  return { redirect: safeRedirectTarget(visit.form.get('redirect'), visit.base) };
}

async function dismissBroadcast(visit: Visit): Promise<Outcome> {
  const cookie = await dismissal(visit, Number(visit.params.id));
  if (cookie !== undefined) visit.reply.header('set-cookie', cookie);
  return { redirect: safeRedirectTarget(visit.form.get('redirect'), visit.base) };
}

export const signInPages: readonly Page[] = [
  {
    path: '/users/sign_in',
    show: async (visit) => {
      if (visit.user) return { redirect: safeRedirectTarget(visit.query.get('redirect'), visit.base) };
      return (await automaticSignIn(visit)) ?? signInPage(visit);
    },
  },
  { method: 'POST', path: '/users/sign_in', withoutToken: true, show: enter },
  { method: 'POST', path: '/users/sign_out', show: leave },
  { method: 'POST', path: '/-/profile/theme', withoutToken: true, show: chooseTheme },
  {
    method: 'POST',
    path: '/-/profile/broadcast_messages/:id/dismiss',
    withoutToken: true,
    show: dismissBroadcast,
  },
  { path: '/-/user_settings/password/new', signedIn: true, show: showPasswordPage },
  { path: '/-/user_settings/password/edit', signedIn: true, show: showPasswordPage },
  { method: 'POST', path: '/-/user_settings/password/new', show: savePassword },
  { method: 'POST', path: '/-/user_settings/password/edit', show: savePassword },
];
