import {
  type Connection,
  connectionsOf,
  disconnect,
  redirectToProvider,
} from '../../people/sign-in-providers/public.ts';
import { badge, listOr } from '../frame/format.ts';
import { type Html, html } from '../frame/html.ts';
import { csrfField } from '../frame/layout.ts';
import type { Outcome, Visit } from '../frame/visit.ts';
import { externalRedirectPage } from '../sign-in/external-redirect.ts';
import { browserOf, setProviderSignInCookie } from '../sign-in/session.ts';
import { ownerOf } from './own-account.ts';

/** Lists the identity providers that the user signs in with or can connect. */
export async function connectionList(visit: Visit, home: string): Promise<Html> {
  const button = (name: string, action: string, text: string) =>
    html`<form method="post" action="${visit.base}${home}/${name}/${action}" data-turbo="false">${csrfField(visit)}<button>${text}</button></form>`;
  const item = ({ name, label, uid }: Connection) =>
    html`<li><div class="row"><strong>${label}</strong>${uid !== undefined && badge('current', 'connected')}<span class="end">${uid === undefined ? button(name, 'connect', 'Connect') : button(name, 'disconnect', 'Disconnect')}</span></div>${uid !== undefined && html`<p class="muted">Identity: ${uid}</p>`}</li>`;
  const connections = await connectionsOf(visit.services, ownerOf(visit));
  return html`<h2>Connected accounts</h2><p>With a connected account you can sign in without your password.</p>${listOr(connections, item, 'No identity providers are configured.')}`;
}

export async function connectTo(visit: Visit, home: string): Promise<Outcome> {
  const going = { wayBack: `${visit.base}${home}`, user: ownerOf(visit) };
  const provider = visit.params.provider ?? '';
  const { kept, address, label } = await redirectToProvider(visit.services, provider, going, browserOf(visit));
  setProviderSignInCookie(visit, kept);
  return externalRedirectPage(visit, address, `Sign in at ${label}`);
}

export async function disconnectFrom(visit: Visit, home: string): Promise<Outcome> {
  await disconnect(visit.services, ownerOf(visit), visit.params.provider ?? '');
  return { redirect: `${visit.base}${home}` };
}
