import { Refusal } from '../frame/api.ts';
import { html } from '../frame/html.ts';
import { csrfField } from '../frame/layout.ts';
import type { Outcome, Page, Visit } from '../frame/visit.ts';
import { inAccount } from './section.ts';

const home = '/-/user_settings/incoming_mail';

async function incomingMailPage(visit: Visit): Promise<Outcome> {
  if (visit.services.config.incomingMailAddress === undefined) throw new Refusal(404, '');
  const { incoming_email_token: token } = await visit.api.get('/user/incoming_email_token');
  const body = html`<h1>Incoming mail</h1><p>Replies to notification emails become comments. Emails to the address below the issue list of a project create issues.</p>
<form class="card" method="post" action="${visit.base}${home}/reset">${csrfField(visit)}<h2>Your token</h2><p><code class="key">${token}</code></p><p class="muted">It is part of these addresses, and anyone who knows one can act as you. Reset it if someone else may have seen one. All previous addresses, including those of older messages, become invalid.</p><div class="row"><button class="danger">Reset</button></div></form>`;
  return inAccount(visit, { title: 'Incoming mail', body });
}

async function resetToken({ api, base }: Visit): Promise<Outcome> {
  await api.send('POST', '/user/incoming_email_token/rotate');
  return { redirect: `${base}${home}` };
}

export const incomingMailPages: readonly Page[] = [
  { path: '/-/user_settings/incoming_mail', signedIn: true, show: incomingMailPage },
  { method: 'POST', path: '/-/user_settings/incoming_mail/reset', show: resetToken },
];
