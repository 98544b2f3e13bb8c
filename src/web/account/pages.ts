import { collectionPages } from '../forms/collection.ts';
import { settingsFormPages } from '../forms/settings-form.ts';
import type { Entity } from '../frame/api.ts';
import { badge, listOr, relativeTime } from '../frame/format.ts';
import { html } from '../frame/html.ts';
import { pageOf, pager } from '../frame/paging.ts';
import type { Outcome, Page, Visit } from '../frame/visit.ts';
import { sectionTitle } from '../namespaces/project.ts';
import { actionButton } from '../planning/discussion.ts';
import { authorizedApplications, ownApplications } from './applications.ts';
import { emails, gpgKeys, sshKeys, tokens } from './collections.ts';
import { notifications, preferences } from './forms.ts';
import { incomingMailPages } from './incoming-mail.ts';
import { picturePages } from './picture.ts';
import { profilePages } from './profile.ts';
import { accountSection, inAccount } from './section.ts';

const settings = '/-/user_settings';

async function sessionsPage(visit: Visit): Promise<Outcome> {
  const { api, base } = visit;
  const answer = await api.page('/user/sessions', { per_page: 50, page: pageOf(visit) });
  const item = (session: Entity) =>
    html`<li><div class="row"><strong>${session.ip_address}</strong>${session.current && badge('current', 'this browser')}<span class="end">${!session.current && actionButton(visit, `${base}${settings}/active_sessions/${session.id}/end`, 'End')}</span></div><p class="muted">${session.user_agent} · signed in ${relativeTime(session.created_at)} · used ${relativeTime(session.last_used_at)}</p></li>`;
  const others =
    answer.body.some((session: Entity) => !session.current) &&
    actionButton(
      visit,
      `${base}${settings}/active_sessions/end_others`,
      'End all others',
      {},
      { confirm: 'Sign out everywhere else?' },
    );
  const body = html`${sectionTitle('Sessions', others || undefined)}${listOr(answer.body, item, 'No active sessions.')}${pager(visit, answer)}`;
  return inAccount(visit, { title: 'Sessions', body });
}

async function endSession({ api, params, base }: Visit): Promise<Outcome> {
  await api.send('DELETE', `/user/sessions/${params.id}`);
  return { redirect: `${base}${settings}/active_sessions` };
}

const atOnce = 100;
const maxRounds = 20;

/** Signs the user out everywhere else. */
async function endOtherSessions({ api, base }: Visit): Promise<Outcome> {
  for (let round = 0; round < maxRounds; round += 1) {
    const sessions: readonly Entity[] = await api.get('/user/sessions', { per_page: atOnce });
    const others = sessions.filter(({ current }) => !current);
    // One that ended meanwhile is not found.
    for (const { id } of others) await api.ask('DELETE', `/user/sessions/${id}`);
    if (sessions.length < atOnce) break;
  }
  return { redirect: `${base}${settings}/active_sessions`, notice: 'All other sessions have ended.' };
}

export const accountPages: readonly Page[] = [
  ...profilePages,
  ...picturePages,
  ...incomingMailPages,
  ...[tokens, sshKeys, gpgKeys, emails, ownApplications, authorizedApplications].flatMap((collection) =>
    collectionPages(accountSection, '', collection),
  ),
  ...[notifications, preferences].flatMap((settings) => settingsFormPages(accountSection, settings)),
  { path: '/-/user_settings/active_sessions', signedIn: true, show: sessionsPage },
  { method: 'POST', path: '/-/user_settings/active_sessions/end_others', show: endOtherSessions },
  { method: 'POST', path: '/-/user_settings/active_sessions/:id/end', show: endSession },
];
