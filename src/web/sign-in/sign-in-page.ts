import { isSignUpOpen } from '../../people/sessions/public.ts';
import { html } from '../frame/html.ts';
import { layout } from '../frame/layout.ts';
import { pictureAddress } from '../frame/look.ts';
import { renderOne } from '../frame/markdown.ts';
import type { Outcome, Visit } from '../frame/visit.ts';

/** Where a name and a password are asked for, and what was wrong with those given before. */
export async function signInPage(visit: Visit, problem?: string): Promise<Outcome> {
  const settings = await visit.services.settings.read();
  const { remember_me_enabled: remembers } = settings;
  const login = visit.form.get('user[login]') ?? '';
  const redirect = visit.form.get('redirect') ?? visit.query.get('redirect') ?? '';
  const { description } = visit.look.appearance;
  const about = description.trim() !== '' && (await renderOne(visit, undefined, description));
  const logo = pictureAddress(visit, 'logo');
  const body = html`${logo !== undefined && html`<p class="narrow"><img src="${logo}" alt="" height="96"></p>`}${about}<form class="card narrow" method="post" action="${visit.base}/users/sign_in"><h1>Sign in</h1>
${problem !== undefined && html`<p class="notice" role="alert">${problem}</p>`}
<input type="hidden" name="redirect" value="${redirect}">
<label>Username or email<input name="user[login]" value="${login}" required autocomplete="username" autocapitalize="none"></label>
<label>Password<input type="password" name="user[password]" required autocomplete="current-password"></label>
${remembers && html`<label><input type="checkbox" name="user[remember_me]" value="1"> Remember me</label>`}
<button class="primary">Sign in</button>
<p><a href="${visit.base}/users/password/new">Forgot your password?</a> · <a href="${visit.base}/users/confirmation/new">Resend confirmation</a></p>
${isSignUpOpen(settings) && html`<p>No account yet? <a href="${visit.base}/users/sign_up">Sign up</a></p>`}</form>`;
  return { page: layout(visit, { title: 'Sign in', body }), status: problem === undefined ? 200 : 422 };
}
