import type { Entity } from '../frame/api.ts';
import { refusalOf } from '../frame/api.ts';
import { badge, listOr, moment } from '../frame/format.ts';
import { html } from '../frame/html.ts';
import { layout, proof } from '../frame/layout.ts';
import { pageOf, pager } from '../frame/paging.ts';
import type { Outcome, Page, Visit } from '../frame/visit.ts';
import { actionButton } from '../planning/discussion.ts';

const settings = '/-/user_settings';

async function tokensPage(visit: Visit): Promise<Outcome> {
  const { api, base, user } = visit;
  const query = { user_id: user?.id, state: 'active', per_page: 50, page: pageOf(visit) };
  const answer = await api.page('/personal_access_tokens', query);
  const item = (token: Entity) =>
    html`<li><div class="row"><strong>${token.name}</strong><span class="muted">${token.scopes.join(', ')}</span><span class="end">${actionButton(visit, `${base}${settings}/personal_access_tokens/${token.id}/revoke`, 'Revoke')}</span></div><p class="muted">made ${moment(token.created_at)} · ${token.last_used_at ? html`used ${moment(token.last_used_at)}` : 'never used'} · good until ${token.expires_at ?? 'for ever'}</p></li>`;
  const body = html`<h1>Access tokens</h1>${listOr(answer.body, item, 'You have no token.')}${pager(visit, answer)}<p class="muted">Tokens are made with <code>hearth admin create-token</code>, or by an administrator through the API.</p>`;
  return { page: layout(visit, { title: 'Access tokens', body }) };
}

async function revokeToken({ api, params, base }: Visit): Promise<Outcome> {
  await api.send('DELETE', `/personal_access_tokens/${params.id}`);
  return { redirect: `${base}${settings}/personal_access_tokens` };
}

async function keysPage(visit: Visit, problem?: string): Promise<Outcome> {
  const { api, base, form } = visit;
  const answer = await api.page('/user/keys', { per_page: 50, page: pageOf(visit) });
  const item = (key: Entity) =>
    html`<li><div class="row"><strong>${key.title}</strong><span class="end">${actionButton(visit, `${base}${settings}/ssh_keys/${key.id}/remove`, 'Remove')}</span></div><code>${key.key.slice(0, 80)}…</code><p class="muted">added ${moment(key.created_at)} · ${key.last_used_at ? html`used ${moment(key.last_used_at)}` : 'never used'}</p></li>`;
  const body = html`<h1>SSH keys</h1>${listOr(answer.body, item, 'You have no key: git over SSH needs one.')}${pager(visit, answer)}<form class="card" method="post" action="${base}${settings}/ssh_keys">${proof(visit)}<h2>Add a key</h2>${problem !== undefined && html`<p class="notice" role="alert">${problem}</p>`}<label>Title<input name="title" required value="${form.get('title') ?? ''}"></label><label>Public key<textarea name="key" required placeholder="ssh-ed25519 …">${form.get('key') ?? ''}</textarea></label><button class="primary">Add key</button></form>`;
  return { page: layout(visit, { title: 'SSH keys', body }), ...(problem !== undefined && { status: 422 }) };
}

async function addKey(visit: Visit): Promise<Outcome> {
  const { api, form, base } = visit;
  const answer = await api.ask('POST', '/user/keys', { title: form.get('title'), key: (form.get('key') ?? '').trim() });
  if (answer.status === 201) return { redirect: `${base}${settings}/ssh_keys` };
  if (answer.status === 400) return keysPage(visit, refusalOf(answer).reason);
  throw refusalOf(answer);
}

async function removeKey({ api, params, base }: Visit): Promise<Outcome> {
  await api.send('DELETE', `/user/keys/${params.id}`);
  return { redirect: `${base}${settings}/ssh_keys` };
}

async function sessionsPage(visit: Visit): Promise<Outcome> {
  const { api, base } = visit;
  const answer = await api.page('/user/sessions', { per_page: 50, page: pageOf(visit) });
  const item = (session: Entity) =>
    html`<li><div class="row"><strong>${session.ip_address}</strong>${session.current && badge('current', 'this browser')}<span class="end">${!session.current && actionButton(visit, `${base}${settings}/active_sessions/${session.id}/end`, 'End')}</span></div><p class="muted">${session.user_agent} · signed in ${moment(session.created_at)} · used ${moment(session.last_used_at)}</p></li>`;
  const body = html`<h1>Sessions</h1>${listOr(answer.body, item, 'You are signed in nowhere.')}${pager(visit, answer)}`;
  return { page: layout(visit, { title: 'Sessions', body }) };
}

async function endSession({ api, params, base }: Visit): Promise<Outcome> {
  await api.send('DELETE', `/user/sessions/${params.id}`);
  return { redirect: `${base}${settings}/active_sessions` };
}

export const accountPages: readonly Page[] = [
  { path: '/-/user_settings/personal_access_tokens', signedIn: true, show: tokensPage },
  { method: 'POST', path: '/-/user_settings/personal_access_tokens/:id/revoke', show: revokeToken },
  { path: '/-/user_settings/ssh_keys', signedIn: true, show: (visit) => keysPage(visit) },
  { method: 'POST', path: '/-/user_settings/ssh_keys', show: addKey },
  { method: 'POST', path: '/-/user_settings/ssh_keys/:id/remove', show: removeKey },
  { path: '/-/user_settings/active_sessions', signedIn: true, show: sessionsPage },
  { method: 'POST', path: '/-/user_settings/active_sessions/:id/end', show: endSession },
];
