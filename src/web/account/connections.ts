import { SignInRefused } from '../../people/sessions/public.ts';
import {
  type Connection,
  connectionsOf,
  disconnect,
  redirectToProvider,
} from '../../people/sign-in-providers/public.ts';
import { alert } from '../forms/card.ts';
import { Refusal } from '../frame/api.ts';
import { badge, listOr } from '../frame/format.ts';
import { html } from '../frame/html.ts';
import { csrfField } from '../frame/layout.ts';
import type { Outcome, Page, Visit } from '../frame/visit.ts';
import { externalRedirectPage } from '../sign-in/external-redirect.ts';
import { browserOf, setProviderSignInCookie } from '../sign-in/session.ts';
import { inAccount } from './section.ts';

const home = '/-/profile/account';
const title = 'Connected accounts';

const ownerOf = ({ user }: Visit) => {
  if (!user) throw new Refusal(401, '');
  return user;
};

/** Lists the identity providers that the user signs in with or can connect. */
export async function connectionsPage(visit: Visit, problem?: string): Promise<Outcome> {
  const button = (name: string, action: string, text: string) =>
    html`<form method="post" action="${visit.base}${home}/${name}/${action}" data-turbo="false">${csrfField(visit)}<button>${text}</button></form>`;
  const item = ({ name, label, uid }: Connection) =>
    html`<li><div class="row"><strong>${label}</strong>${uid !== undefined && badge('current', 'connected')}<span class="end">${uid === undefined ? button(name, 'connect', 'Connect') : button(name, 'disconnect', 'Disconnect')}</span></div>${uid !== undefined && html`<p class="muted">Identity: ${uid}</p>`}</li>`;
  const connections = await connectionsOf(visit.services, ownerOf(visit));
  const body = html`<h1>${title}</h1>${alert(problem)}<p>With a connected account you can sign in without your password.</p>${listOr(connections, item, 'No identity providers are configured.')}`;
  return inAccount(visit, { title, body, ...(problem !== undefined && { status: 422 }) });
}

/** Runs a change of a connection and shows its error on the page. */
const doing = (work: (visit: Visit, provider: string) => Promise<Outcome>) => async (visit: Visit) => {
  try {
    return await work(visit, visit.params.provider ?? '');
  } catch (error) {
    if (error instanceof SignInRefused) return connectionsPage(visit, error.message);
    throw error;
  }
};

const connect = doing(async (visit, provider) => {
  const going = { wayBack: `${visit.base}${home}`, user: ownerOf(visit) };
  const { kept, address, label } = await redirectToProvider(visit.services, provider, going, browserOf(visit));
  setProviderSignInCookie(visit, kept);
  return externalRedirectPage(visit, address, `Sign in at ${label}`);
});

const end = doing(async (visit, provider) => {
  await disconnect(visit.services, ownerOf(visit), provider);
  return { redirect: `${visit.base}${home}` };
});

export const connectionPages: readonly Page[] = [
  { path: '/-/profile/account', signedIn: true, show: (visit) => connectionsPage(visit) },
  { method: 'POST', path: '/-/profile/account/:provider/connect', show: connect },
  { method: 'POST', path: '/-/profile/account/:provider/disconnect', show: end },
];
