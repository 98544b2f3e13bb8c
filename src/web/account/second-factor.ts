import {
  codesLeft,
  disableOwnFactor,
  enableOwnFactor,
  hasPassword,
  offerFactor,
  replaceOwnCodes,
  SignInRefused,
} from '../../people/sessions/public.ts';
import { alert, hiddenFields } from '../forms/card.ts';
import { type Html, html } from '../frame/html.ts';
import { csrfField } from '../frame/layout.ts';
import type { Outcome, Page, Visit } from '../frame/visit.ts';
import { browserOf } from '../sign-in/session.ts';
import { ownerOf } from './own-account.ts';
import { qrCode } from './qr-code.ts';
import { inAccount } from './section.ts';

const home = '/-/profile/two_factor_auth';
const title = 'Two-factor authentication';

const passwordOf = async (visit: Visit) =>
  (await hasPassword(visit.services, ownerOf(visit))) &&
  html`<label>Current password<input type="password" name="password" required autocomplete="current-password"></label>`;
const code = (label: string) =>
  html`<label>${label}<input name="code" required autocomplete="one-time-code" autocapitalize="none" spellcheck="false" maxlength="40"></label>`;

interface Form {
  readonly action: string;
  readonly title: string;
  readonly button: string;
  readonly problem?: string | undefined;
  readonly body: Html;
  readonly danger?: boolean;
}

/** A form whose response is rendered directly, without a redirect, because recovery codes are not stored anywhere. */
const form = (visit: Visit, options: Form) =>
  html`<form class="card" method="post" action="${visit.base}${options.action}" data-turbo="false">${csrfField(visit)}<h2>${options.title}</h2>${alert(options.problem)}${options.body}<div class="row"><button class="${options.danger ? 'danger' : 'primary'}">${options.button}</button></div></form>`;

/** The rejected form and its error. */
interface Problem {
  readonly of: 'on' | 'off' | 'codes';
  readonly text: string;
}

async function whenOff(visit: Visit, problem?: string): Promise<Html> {
  const { sealed, key, link } = offerFactor(visit.services, ownerOf(visit), visit.form.get('offer') ?? undefined);
  const steps = html`<ol><li>Open an app for one-time codes on your phone or computer.</li>
<li>Scan this code, or enter this key for a time-based account: ${qrCode(link, 'QR code of the key')}<p><code class="key">${key}</code></p><p><a href="${link}">Open in an app on this device</a></p></li>
<li>Enter the six digits that the app shows.</li></ol>`;
  const body = html`${hiddenFields({ offer: sealed })}${steps}${code('Code')}${await passwordOf(visit)}<p class="muted">All other sessions will be signed out. Git over HTTP will require a token instead of your password.</p>`;
  return html`<p>Signing in then requires your password and a code that changes every 30 seconds.</p>${form(visit, { action: home, title: 'Switch it on', button: 'Switch on', problem, body })}`;
}

async function whenOn(visit: Visit, problem?: Problem): Promise<Html> {
  const password = await passwordOf(visit);
  const left = await codesLeft(visit.services.db.read, ownerOf(visit).id);
  const of = (name: Problem['of']) => (problem?.of === name ? problem.text : undefined);
  return html`<p class="notice" role="status">Two-factor authentication is on. ${left} recovery ${left === 1 ? 'code is' : 'codes are'} left.</p>
${form(visit, {
  action: `${home}/codes`,
  title: 'New recovery codes',
  button: 'Generate new codes',
  problem: of('codes'),
  body: html`<p>Each can be used once instead of a code from your app. Your current recovery codes become invalid.</p>${password}`,
})}
${form(visit, {
  action: `${home}/off`,
  title: 'Switch it off',
  button: 'Switch off',
  problem: of('off'),
  body: html`${code('Code or recovery code')}${password}`,
  danger: true,
})}`;
}

async function showPage(visit: Visit, problem?: Problem): Promise<Outcome> {
  const isOn = ownerOf(visit).two_factor_enabled === 1;
  const shown = isOn ? await whenOn(visit, problem) : await whenOff(visit, problem?.text);
  return inAccount(visit, {
    title,
    body: html`<h1>${title}</h1>${shown}`,
    ...(problem && { status: 422 }),
  });
}

function codesPage(visit: Visit, codes: readonly string[]): Outcome {
  const body = html`<h1>${title}</h1><div class="told" role="status"><h2>Your recovery codes</h2><p>Copy them now and store them where you have access without your phone: they are shown only once. Each can be used once instead of a code from your app.</p>
<ul class="codes">${codes.map((each) => html`<li><code>${each}</code></li>`)}</ul><p><a class="button" href="${visit.base}${home}">I have saved them</a></p></div>`;
  return inAccount(visit, { title, body });
}

const field = ({ form: sent }: Visit, name: string) => (sent.get(name) ?? '').slice(0, 1000);

/** Runs a change of two-factor authentication and shows its error on the form. */
const doing = (of: Problem['of'], work: (visit: Visit) => Promise<Outcome>) => async (visit: Visit) => {
  try {
    return await work(visit);
  } catch (error) {
    if (error instanceof SignInRefused) return showPage(visit, { of, text: error.message });
    throw error;
  }
};

const on = doing('on', async (visit) => {
  const shown = { password: field(visit, 'password'), code: field(visit, 'code'), sealed: field(visit, 'offer') };
  return codesPage(visit, await enableOwnFactor(visit.services, ownerOf(visit), shown, browserOf(visit)));
});

const off = doing('off', async (visit) => {
  const shown = { password: field(visit, 'password'), code: field(visit, 'code') };
  await disableOwnFactor(visit.services, ownerOf(visit), shown, browserOf(visit));
  return { redirect: `${visit.base}${home}` };
});

const codes = doing('codes', async (visit) =>
  codesPage(visit, await replaceOwnCodes(visit.services, ownerOf(visit), field(visit, 'password'), browserOf(visit))),
);

/** Pages for the user's own two-factor authentication. */
export const ownSecondFactorPages: readonly Page[] = [
  { path: '/-/profile/two_factor_auth', signedIn: true, show: (visit) => showPage(visit) },
  { method: 'POST', path: '/-/profile/two_factor_auth', show: on },
  { method: 'POST', path: '/-/profile/two_factor_auth/off', show: off },
  { method: 'POST', path: '/-/profile/two_factor_auth/codes', show: codes },
];
