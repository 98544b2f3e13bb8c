import {
  finishSignIn,
  isPendingSignIn,
  type PendingSignIn,
  SignInExpired,
  SignInRefused,
} from '../../people/sessions/public.ts';
import { alert } from '../forms/card.ts';
import { html } from '../frame/html.ts';
import { layout } from '../frame/layout.ts';
import type { Outcome, Page, Visit } from '../frame/visit.ts';
import {
  beginSession,
  browserOf,
  clearPendingSignInCookie,
  codePath,
  pendingSignInOf,
  safeRedirectTarget,
  setPendingSignInCookie,
} from './session.ts';
import { signInPage } from './sign-in-page.ts';

/** Redirects to the second factor after the password was accepted. */
export function askForCode(visit: Visit, halfway: PendingSignIn, redirect: string): Outcome {
  setPendingSignInCookie(visit, halfway);
  return { redirect: `${visit.base}${codePath}?redirect=${encodeURIComponent(redirect)}` };
}

function codePage(visit: Visit, problem?: string): Outcome {
  const redirect = visit.form.get('redirect') ?? visit.query.get('redirect') ?? '';
  const body = html`<form class="card narrow" method="post" action="${visit.base}${codePath}"><h1>Two-factor authentication</h1>${alert(problem)}
<input type="hidden" name="redirect" value="${redirect}">
<label>Code<input name="user[otp_attempt]" required autofocus autocomplete="one-time-code" autocapitalize="none" spellcheck="false" maxlength="40" aria-describedby="code-hint"></label>
<p class="muted" id="code-hint">The six digits that your app shows, or one of your recovery codes if you do not have it with you.</p>
<button class="primary">Verify code</button>
<p><a href="${visit.base}/users/sign_in">Sign in as another user</a></p></form>`;
  return {
    page: layout(visit, { title: 'Two-factor authentication', body }),
    status: problem === undefined ? 200 : 422,
  };
}

function ask(visit: Visit): Outcome {
  if (visit.user) return { redirect: safeRedirectTarget(visit.query.get('redirect'), visit.base) };
  const halfway = pendingSignInOf(visit);
  if (halfway !== undefined && isPendingSignIn(visit.services, halfway)) return codePage(visit);
  const redirect = visit.query.get('redirect') ?? '';
  return { redirect: `${visit.base}/users/sign_in?redirect=${encodeURIComponent(redirect)}` };
}

async function verify(visit: Visit): Promise<Outcome> {
  const { form, services } = visit;
  try {
    const code = (form.get('user[otp_attempt]') ?? '').slice(0, 100);
    beginSession(visit, await finishSignIn(services, pendingSignInOf(visit), code, browserOf(visit)));
  } catch (error) {
    if (error instanceof SignInExpired) return signInPage(visit, error.message);
    if (error instanceof SignInRefused) return codePage(visit, error.message);
    throw error;
  }
  clearPendingSignInCookie(visit);
  return { redirect: safeRedirectTarget(form.get('redirect'), visit.base) };
}

/** The second step of signing in. */
export const secondFactorPages: readonly Page[] = [
  { path: '/users/sign_in/two_factor', show: ask },
  { method: 'POST', path: '/users/sign_in/two_factor', withoutToken: true, show: verify },
];
