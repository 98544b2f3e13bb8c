import { handleCallback } from '../../people/openid/public.ts';
import { completeResponse, receiveResponse, samlMetadata } from '../../people/saml/public.ts';
import { SignInRefused } from '../../people/sessions/public.ts';
import { offeredProviders, type ProviderSignIn, redirectToProvider } from '../../people/sign-in-providers/public.ts';
import { accountPage } from '../account/account.ts';
import { Refusal } from '../frame/api.ts';
import type { Outcome, Page, Visit } from '../frame/visit.ts';
import { externalRedirectPage } from './external-redirect.ts';
import { askForCode } from './second-factor.ts';
import {
  beginSession,
  browserOf,
  clearProviderSignInCookie,
  providerSignInOf,
  safeRedirectTarget,
  setProviderSignInCookie,
} from './session.ts';
import { signInPage } from './sign-in-page.ts';

/** The error with the request ID, by which the log has details. */
const numbered = ({ request }: Visit, { message }: SignInRefused) => `${message} (Request ${request.id})`;

async function begin(visit: Visit): Promise<Outcome> {
  const wayBack = safeRedirectTarget(visit.form.get('redirect'), visit.base);
  if (visit.user) return { redirect: wayBack };
  try {
    const going = { wayBack, user: null };
    const { kept, address, label } = await redirectToProvider(
      visit.services,
      visit.params.provider ?? '',
      going,
      browserOf(visit),
    );
    setProviderSignInCookie(visit, kept);
    return externalRedirectPage(visit, address, `Sign in at ${label}`);
  } catch (error) {
    if (error instanceof SignInRefused) return signInPage(visit, numbered(visit, error));
    throw error;
  }
}

/** Completes a sign-in, or shows why it failed. */
async function finish(visit: Visit, complete: (kept: string | undefined) => Promise<ProviderSignIn>): Promise<Outcome> {
  const kept = providerSignInOf(visit);
  clearProviderSignInCookie(visit);
  try {
    const { entered, wayBack } = await complete(kept);
    const redirect = safeRedirectTarget(wayBack, visit.base);
    if (entered === 'connected') return { redirect };
    if ('halfway' in entered) return askForCode(visit, entered, redirect);
    beginSession(visit, entered);
    return { redirect };
  } catch (error) {
    if (!(error instanceof SignInRefused)) throw error;
    const problem = numbered(visit, error);
    return visit.user ? accountPage(visit, { of: 'connections', text: problem }) : signInPage(visit, problem);
  }
}

const finishOpenid = (visit: Visit) =>
  finish(visit, (kept) => {
    const { services, params, query, user } = visit;
    return handleCallback(services, params.provider ?? '', { kept, query, user }, browserOf(visit));
  });

/** The assertion consumer: takes the form of the provider's page, which comes without our cookies. */
async function receive(visit: Visit): Promise<Outcome> {
  const { services, params, form, base } = visit;
  const name = params.provider ?? '';
  const sent = { samlResponse: form.get('SAMLResponse') ?? '', relayState: form.get('RelayState') ?? '' };
  try {
    const ticket = await receiveResponse(services, name, sent, browserOf(visit));
    return { redirect: `${base}/users/auth/${name}/complete?token=${ticket}` };
  } catch (error) {
    if (error instanceof SignInRefused) return signInPage(visit, numbered(visit, error));
    throw error;
  }
}

const finishSaml = (visit: Visit) =>
  finish(visit, (kept) => {
    const { services, params, query, user } = visit;
    const request = { ticket: query.get('token') ?? '', kept, user };
    return completeResponse(services, params.provider ?? '', request, browserOf(visit));
  });

async function metadata({ services, params }: Visit): Promise<Outcome> {
  const content = await samlMetadata(services, params.provider ?? '');
  if (content === undefined) throw new Refusal(404, '');
  return { content, type: 'application/samlmetadata+xml' };
}

const automaticProvider = async ({ services }: Visit) =>
  (await offeredProviders(services)).find(({ autoSignIn }) => autoSignIn);

/** URL of the sign-in page after signing out, without automatic sign-in. */
export const signInAddress = async (visit: Visit): Promise<string> =>
  `${visit.base}/users/sign_in${(await automaticProvider(visit)) ? '?auto_sign_in=false' : ''}`;

/** Redirects to the provider at once if automatic sign-in is configured; undefined otherwise. */
export async function automaticSignIn(visit: Visit): Promise<Outcome | undefined> {
  const provider = visit.query.get('auto_sign_in') === 'false' ? undefined : await automaticProvider(visit);
  if (!provider) return undefined;
  const wayBack = safeRedirectTarget(visit.query.get('redirect'), visit.base);
  try {
    const { kept, address } = await redirectToProvider(
      visit.services,
      provider.name,
      { wayBack, user: null },
      browserOf(visit),
    );
    setProviderSignInCookie(visit, kept);
    return { redirect: address };
  } catch (error) {
    if (error instanceof SignInRefused) return signInPage(visit, numbered(visit, error));
    throw error;
  }
}

/** Signing in with an identity provider. */
export const providerPages: readonly Page[] = [
  { method: 'POST', path: '/users/auth/:provider', withoutToken: true, show: begin },
  { path: '/users/auth/:provider/callback', show: finishOpenid },
  { method: 'POST', path: '/users/auth/:provider/callback', withoutToken: true, fromAnySite: true, show: receive },
  { path: '/users/auth/:provider/complete', show: finishSaml },
  { path: '/users/auth/:provider/metadata', show: metadata },
];
