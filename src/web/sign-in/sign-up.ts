import type { ApplicationSettings } from '../../access/application-settings/list.ts';
import { termsInForce } from '../../access/credentials/terms-enforcement.ts';
import { isSignUpOpen, needsApproval, SignInRefused, signUp } from '../../people/sessions/public.ts';
import { Invalid } from '../../platform/http/errors.ts';
import { type Html, html } from '../frame/html.ts';
import { layout } from '../frame/layout.ts';
import { renderOne } from '../frame/markdown.ts';
import type { Outcome, Page, Visit } from '../frame/visit.ts';
import { safeRedirectTarget } from './session.ts';

/** Errors of a sign-up: of the whole form or of single fields. */
interface Refused {
  readonly status: number;
  readonly all?: string;
  readonly fields: Invalid['errors'];
}

const named = { name: 'Name', username: 'Username', email: 'Email', password: 'Password' } as const;
type Name = keyof typeof named;

/** Maximum length of values that are shown again. */
const longest = 1000;
const sent = (form: URLSearchParams, name: string) => (form.get(`user[${name}]`) ?? '').slice(0, longest);

const kinds = [
  ['password_number_required', 'a digit'],
  ['password_lowercase_required', 'a lowercase letter'],
  ['password_uppercase_required', 'an uppercase letter'],
  ['password_symbol_required', 'a symbol'],
] as const;

/** Describes the password rules. */
export function passwordHint(settings: ApplicationSettings): string {
  const rules = kinds.flatMap(([rule, text]) => (settings[rule] ? [text] : []));
  return [`At least ${settings.minimum_password_length} characters`, ...rules].join(', ');
}

function field(visit: Visit, name: Name, refused: Refused, rest: Html, hint?: string): Html {
  const wrong = refused.fields[name];
  const value = name === 'password' ? undefined : sent(visit.form.size > 0 ? visit.form : visit.query, name);
  const described = [...(hint === undefined ? [] : [`${name}-hint`]), ...(wrong ? [`${name}-wrong`] : [])].join(' ');
  return html`<div><label for="user-${name}">${named[name]}</label>${hint !== undefined && html`<span class="hint" id="${name}-hint">${hint}</span>`}
<input id="user-${name}" name="user[${name}]"${value !== undefined && html` value="${value}"`} required${rest}${described !== '' && html` aria-describedby="${described}"`}${wrong && html` aria-invalid="true"`}>
${wrong && html`<span class="hint bad" id="${name}-wrong">${named[name]} ${wrong.join(', ')}</span>`}</div>`;
}

const fine: Refused = { status: 200, fields: {} };

async function form(visit: Visit, refused = fine): Promise<Outcome> {
  const settings = await visit.services.settings.read();
  if (!isSignUpOpen(settings)) return { redirect: `${visit.base}/users/sign_in` };
  const problem = refused.all ?? (refused === fine ? undefined : 'The account was not created. See the errors below.');
  const body = html`<form class="card narrow" method="post" action="${visit.base}/users/sign_up"><h1>Sign up</h1>
${problem !== undefined && html`<p class="notice" role="alert">${problem}</p>`}
${field(visit, 'name', refused, html` autocomplete="name" maxlength="255"`)}
${field(visit, 'username', refused, html` autocomplete="username" autocapitalize="none" spellcheck="false" maxlength="255"`)}
${field(visit, 'email', refused, html` type="email" autocomplete="email" maxlength="254"`)}
${field(visit, 'password', refused, html` type="password" autocomplete="new-password"`, passwordHint(settings))}
<p hidden><label>Leave this empty<input name="user[website]" tabindex="-1" autocomplete="off"></label></p>
${termsInForce(settings) !== undefined && html`<p>You will be asked to accept the <a href="${visit.base}/-/users/terms">terms of use</a>.</p>`}
<button class="primary">Sign up</button>
<p>Have an account? <a href="${visit.base}/users/sign_in">Sign in</a></p></form>`;
  return { page: layout(visit, { title: 'Sign up', body }), status: refused.status };
}

async function register(visit: Visit): Promise<Outcome> {
  const { services, request, form: typed } = visit;
  if (!isSignUpOpen(await services.settings.read())) return { redirect: `${visit.base}/users/sign_in` };
  const person = {
    name: sent(typed, 'name'),
    username: sent(typed, 'username').trim(),
    email: sent(typed, 'email'),
    password: sent(typed, 'password'),
    trap: sent(typed, 'website'),
  };
  try {
    await signUp(services, person, request.ip);
  } catch (error) {
    if (error instanceof SignInRefused) return form(visit, { status: 429, all: error.message, fields: {} });
    if (error instanceof Invalid) return form(visit, { status: 422, fields: error.errors });
    throw error;
  }
  return { redirect: `${visit.base}/users/almost_there` };
}

const confirming = {
  off: 'An email was sent to your address.',
  soft: 'An email was sent to your address. Follow the link in it within three days.',
  hard: 'An email was sent to your address. Follow the link in it: until then you cannot sign in.',
} as const;

/** The page after signing up, depending on the settings; the same for an address that already has an account. */
async function almostThere(visit: Visit): Promise<Outcome> {
  const { services, base } = visit;
  const settings = await services.settings.read();
  if (!isSignUpOpen(settings)) return { redirect: `${base}/users/sign_in` };
  const waits = await needsApproval(services);
  const added = settings.after_sign_up_text?.trim()
    ? await renderOne(visit, undefined, settings.after_sign_up_text)
    : '';
  const body = html`<div class="card narrow"><h1>Almost there</h1><p class="notice" role="status">${confirming[settings.email_confirmation_setting]}</p>
${waits && html`<p>An administrator has to approve the account before you can sign in. You will get an email then.</p>`}${added}
<p><a href="${base}/users/sign_in">Sign in</a> · <a href="${base}/users/confirmation/new">Resend confirmation</a></p></div>`;
  return { page: layout(visit, { title: 'Almost there', body }) };
}

/** Sign-up pages. */
export const signUpPages: readonly Page[] = [
  {
    path: '/users/sign_up',
    show: (visit) => (visit.user ? { redirect: safeRedirectTarget(null, visit.base) } : form(visit)),
  },
  { method: 'POST', path: '/users/sign_up', withoutToken: true, show: register },
  { path: '/users/almost_there', show: almostThere },
];
