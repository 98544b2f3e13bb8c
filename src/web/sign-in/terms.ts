import { signOut } from '../../people/sessions/public.ts';
import { acceptTerms, termsFor } from '../../people/terms/public.ts';
import { hiddenFields } from '../forms/card.ts';
import { Refusal } from '../frame/api.ts';
import { relativeTime } from '../frame/format.ts';
import { type Html, html } from '../frame/html.ts';
import { csrfField, layout } from '../frame/layout.ts';
import { renderAlone } from '../frame/markdown.ts';
import type { Outcome, Page, Visit } from '../frame/visit.ts';
import { endCookie, safeRedirectTarget } from './session.ts';

/** Users who have not accepted the terms are redirected here from any page. */
const path = '/-/users/terms';

function forms(visit: Visit, digest: string): Html {
  const redirect = visit.form.get('redirect') ?? visit.query.get('redirect') ?? '';
  const form = (action: string, button: Html) =>
    html`<form method="post" action="${visit.base}${path}/${action}" data-turbo="false">${csrfField(visit)}${hiddenFields({ digest, redirect })}${button}</form>`;
  return html`<p>You must accept these terms to continue. Your acceptance is recorded.</p><div class="row">${form('accept', html`<button class="primary">Accept the terms</button>`)}${form('decline', html`<button>Decline and sign out</button>`)}</div>`;
}

async function termsPage(visit: Visit, problem?: string): Promise<Outcome> {
  const terms = await termsFor(visit.services, visit.user);
  if (!terms) throw new Refusal(404, '');
  const accepted = terms.acceptedAt !== undefined && relativeTime(new Date(terms.acceptedAt).toISOString());
  const body = html`<h1>Terms of use</h1>${problem !== undefined && html`<p class="notice" role="alert">${problem}</p>`}<article class="card">${await renderAlone(visit.services, terms.text)}</article>${terms.isDue ? forms(visit, terms.digest) : accepted && html`<p class="muted">You accepted these terms ${accepted}.</p>`}`;
  return { page: layout(visit, { title: 'Terms of use', body }), status: problem === undefined ? 200 : 409 };
}

async function accept(visit: Visit): Promise<Outcome> {
  const { services, user, form, request } = visit;
  if (!user) throw new Refusal(401, '');
  const isKept = await acceptTerms(services, user, form.get('digest') ?? '', request.ip);
  if (isKept) return { redirect: safeRedirectTarget(form.get('redirect'), visit.base), notice: 'Thank you.' };
  // Redirect if there is nothing left to accept.
  if (!(await termsFor(services, user))) return { redirect: `${visit.base}/` };
  return termsPage(visit, 'The terms have changed since you opened them. Read them again.');
}

async function decline(visit: Visit): Promise<Outcome> {
  await signOut(visit.services, visit.request.headers.cookie);
  endCookie(visit);
  return { redirect: `${visit.base}/users/sign_in` };
}

export const termsPages: readonly Page[] = [
  { path, show: (visit) => termsPage(visit) },
  { method: 'POST', path: `${path}/accept`, show: accept },
  { method: 'POST', path: `${path}/decline`, show: decline },
];
