import type { User } from '../../access/tables.ts';
import {
  AuthorizationRedirectError,
  type AuthorizationRequest,
  answerDevice,
  denyAuthorization,
  grantAuthorization,
  OAuthError,
  readAuthorization,
  waitingDevice,
} from '../../people/oauth/public.ts';
import { Refusal } from '../frame/api.ts';
import { type Html, html } from '../frame/html.ts';
import { csrfField, layout } from '../frame/layout.ts';
import type { Outcome, Page, Visit } from '../frame/visit.ts';

/** Descriptions of OAuth scopes. */
const meanings: Readonly<Record<string, string>> = {
  api: 'Full API access: read and write all your projects, groups and settings',
  read_api: 'Read API access to everything you can read',
  read_user: 'Read your profile: name, avatar and email addresses',
  read_repository: 'Clone and fetch your repositories',
  write_repository: 'Push to your repositories',
  openid: 'Identify you',
  profile: 'Read your name and avatar',
  email: 'Read your e-mail address',
  sudo: 'Act as any user, if you are an administrator',
  admin_mode: 'Perform admin actions, if you are an administrator',
};

const scopeList = (scopes: readonly string[]) =>
  html`<ul>${scopes.map((scope) => html`<li><strong>${scope}</strong>${meanings[scope] !== undefined && html`: ${meanings[scope]}`}</li>`)}</ul>`;

const userOf = ({ user }: Visit): User => {
  if (!user) throw new Refusal(401, '');
  return user;
};

/** Redirects to the application, or shows the error of an invalid request. */
async function answered(work: () => Promise<Outcome>): Promise<Outcome> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof AuthorizationRedirectError) return { redirect: error.address };
    if (error instanceof OAuthError) throw new Refusal(error.status === 429 ? 429 : 400, error.message);
    throw error;
  }
}

function question(visit: Visit, name: string, scopes: readonly string[], fields: Html): Html {
  return html`<form class="card narrow" method="post" action="${visit.base}${visit.path}" data-turbo="false">${csrfField(visit)}
<h1>${name} requests access to your account</h1>${fields}<p>You are signed in as <strong>@${visit.user?.username}</strong>. If you agree, the application may:</p>${scopeList(scopes)}
<p><button class="primary" name="answer" value="yes">Authorize ${name}</button> <button name="answer" value="no">Deny</button></p></form>`;
}

const forwardedParams = [
  ...['client_id', 'redirect_uri', 'response_type', 'state', 'scope', 'nonce'],
  ...['code_challenge', 'code_challenge_method'],
];

function askingPage(visit: Visit, authorization: AuthorizationRequest): Outcome {
  const { application, scopes, redirectUri } = authorization;
  const hiddenParams = forwardedParams.flatMap((name) => {
    const value = visit.query.get(name);
    return value === null ? [] : [html`<input type="hidden" name="${name}" value="${value}">`];
  });
  const fields = html`${hiddenParams}<p class="muted">You will be redirected to ${redirectUri}</p>`;
  const body = question(visit, application.name, scopes, fields);
  return { page: layout(visit, { title: 'Authorize', body }), leadsTo: redirectUri };
}

const ask = (visit: Visit) =>
  answered(async () => {
    const authorization = await readAuthorization(visit.services, visit.query);
    if (authorization.application.trusted === 0) return askingPage(visit, authorization);
    return { redirect: await grantAuthorization(visit.services, userOf(visit), authorization) };
  });

const decide = (visit: Visit) =>
  answered(async () => {
    const authorization = await readAuthorization(visit.services, visit.form);
    if (visit.form.get('answer') !== 'yes') return { redirect: denyAuthorization(authorization) };
    return { redirect: await grantAuthorization(visit.services, userOf(visit), authorization) };
  });

function codePage(visit: Visit, problem?: string): Outcome {
  const body = html`<form class="card narrow" method="get" action="${visit.base}/oauth/device"><h1>Connect a device</h1>
${problem !== undefined && html`<p class="notice" role="alert">${problem}</p>`}
<label>Code shown on the device<input name="user_code" required autocomplete="off" autocapitalize="characters" maxlength="40"></label>
<button class="primary">Go on</button></form>`;
  return { page: layout(visit, { title: 'Connect a device', body }), status: problem === undefined ? 200 : 404 };
}

const unknownCode = 'The code is invalid or has expired after five minutes.';

const askForDevice = (visit: Visit) =>
  answered(async () => {
    const code = visit.query.get('user_code');
    if (!code) return codePage(visit);
    const waiting = await waitingDevice(visit.services, userOf(visit), code);
    if (!waiting) return codePage(visit, unknownCode);
    const fields = html`<input type="hidden" name="user_code" value="${code}"><p class="notice">Agree only if the device in front of you shows <strong>${code}</strong>, and you started this yourself.</p>`;
    const body = question(visit, waiting.application.name, waiting.scopes, fields);
    return { page: layout(visit, { title: 'Connect a device', body }) };
  });

const decideForDevice = (visit: Visit) =>
  answered(async () => {
    const user = userOf(visit);
    const waiting = await waitingDevice(visit.services, user, visit.form.get('user_code') ?? '');
    const agrees = visit.form.get('answer') === 'yes';
    if (!waiting || !(await answerDevice(visit.services, user, waiting.device, agrees)))
      return codePage(visit, unknownCode);
    const outcome = agrees ? 'The device is connected. You can go back to it.' : 'The device was not authorized.';
    const body = html`<div class="card narrow"><h1>Connect a device</h1><p class="notice" role="status">${outcome}</p></div>`;
    return { page: layout(visit, { title: 'Connect a device', body }) };
  });

/** Pages that authorize OAuth applications. */
export const oauthPages: readonly Page[] = [
  { path: '/oauth/authorize', signedIn: true, show: ask },
  { method: 'POST', path: '/oauth/authorize', show: decide },
  { path: '/oauth/device', signedIn: true, show: askForDevice },
  { method: 'POST', path: '/oauth/device', show: decideForDevice },
];
