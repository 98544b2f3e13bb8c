import { isSignUpOpen } from '../../people/sessions/public.ts';
import { offeredProviders } from '../../people/sign-in-providers/public.ts';
import { pictureAddress } from '../frame/appearance.ts';
import { type Html, html } from '../frame/html.ts';
import { layout } from '../frame/layout.ts';
import { renderOne } from '../frame/markdown.ts';
import type { Outcome, Visit } from '../frame/visit.ts';

/** The sign-in page: user name and password, or identity providers, and the previous error. */
export async function signInPage(visit: Visit, problem?: string): Promise<Outcome> {
  const { description } = visit.look.appearance;
  const about = description.trim() !== '' && (await renderOne(visit, undefined, description));
  const logo = pictureAddress(visit, 'logo');
  const redirect = visit.form.get('redirect') ?? visit.query.get('redirect') ?? '';
  const others = await providerForms(visit, redirect);
  const asksPassword = others.length === 0 || (await takesPasswords(visit));
  const sentNotice =
    problem !== undefined
      ? html`<p class="notice" role="alert">${problem}</p>`
      : visit.query.has('sent') &&
        html`<p class="notice calm" role="status">Your session expired, so nothing was submitted. Sign in and submit the form again.</p>`;
  const body = html`${logo !== undefined && html`<p class="narrow"><img src="${logo}" alt="" height="96"></p>`}${about}${asksPassword ? await passwordForm(visit, redirect, sentNotice) : html`<div class="card narrow"><h1>Sign in</h1>${sentNotice}${others}</div>`}${asksPassword && others.length > 0 && html`<div class="card narrow"><h2>Or sign in through</h2>${others}</div>`}`;
  return { page: layout(visit, { title: 'Sign in', body }), status: problem === undefined ? 200 : 422 };
}

/** Directory (LDAP) passwords are always accepted. */
async function takesPasswords({ services }: Visit): Promise<boolean> {
  const { password_authentication_enabled_for_web: isOn } = await services.settings.read();
  return isOn || services.directories.length > 0;
}

async function passwordForm(visit: Visit, redirect: string, sentNotice: Html | false): Promise<Html> {
  const settings = await visit.services.settings.read();
  const { remember_me_enabled: remembers } = settings;
  const login = visit.form.get('user[login]') ?? '';
  return html`<form class="card narrow" method="post" action="${visit.base}/users/sign_in"><h1>Sign in</h1>
${sentNotice}
<input type="hidden" name="redirect" value="${redirect}">
<label>Username or email<input name="user[login]" value="${login}" required autocomplete="username" autocapitalize="none"></label>
<label>Password<input type="password" name="user[password]" required autocomplete="current-password"></label>
${remembers && html`<label><input type="checkbox" name="user[remember_me]" value="1"> Remember me</label>`}
<button class="primary">Sign in</button>
<p><a href="${visit.base}/users/password/new">Forgot your password?</a> · <a href="${visit.base}/users/confirmation/new">Resend confirmation</a></p>
${isSignUpOpen(settings) && html`<p>No account yet? <a href="${visit.base}/users/sign_up">Sign up</a></p>`}</form>`;
}

/** Turbo would follow the redirect to the other origin by itself, which the policy forbids. */
async function providerForms(visit: Visit, redirect: string): Promise<Html[]> {
  const offered = await offeredProviders(visit.services);
  return offered.map(
    ({ name, label }) =>
      html`<form method="post" action="${visit.base}/users/auth/${name}" data-turbo="false"><input type="hidden" name="redirect" value="${redirect}"><button>${label}</button></form>`,
  );
}
