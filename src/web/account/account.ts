import {
  changeOwnUsername,
  deleteOwnAccount,
  type OwnAccountRules,
  rulesOfOwnAccount,
} from '../../people/own-account/public.ts';
import { alert } from '../forms/card.ts';
import { type Html, html } from '../frame/html.ts';
import { csrfField, layout } from '../frame/layout.ts';
import type { Outcome, Page, Visit } from '../frame/visit.ts';
import { browserOf, endCookie } from '../sign-in/session.ts';
import { connectionList, connectTo, disconnectFrom } from './connections.ts';
import { longestPassword, ownerOf, passwordField, refusalReason } from './own-account.ts';
import { inAccount } from './section.ts';

const home = '/-/profile/account';

/** The rejected form and its error. */
interface Problem {
  readonly of: 'connections' | 'username' | 'deletion';
  readonly text: string;
}

/** Connected accounts, the username, and the deletion of the account. */
export async function accountPage(visit: Visit, problem?: Problem): Promise<Outcome> {
  const rules = await rulesOfOwnAccount(visit.services, ownerOf(visit));
  const of = (name: Problem['of']) => (problem?.of === name ? problem.text : undefined);
  const body = html`<h1>Account</h1>${alert(of('connections'))}${await connectionList(visit, home)}${usernameCard(visit, of('username'))}${deletionCard(visit, rules, of('deletion'))}`;
  return inAccount(visit, { title: 'Account', body, ...(problem !== undefined && { status: 422 }) });
}

function usernameCard(visit: Visit, problem?: string): Html {
  const { username } = ownerOf(visit);
  const typed = problem === undefined ? username : (visit.form.get('username') ?? '');
  return html`<form class="card" method="post" action="${visit.base}${home}/username">${csrfField(visit)}<h2>Change username</h2>${alert(problem)}<label>Username<span class="hint">The addresses of your profile and of your projects change with it. The former ones lead to the new ones until somebody else takes the username.</span><input name="username" required autocomplete="username" autocapitalize="none" spellcheck="false" maxlength="255" value="${typed}"></label><div class="row"><button>Change the username</button></div></form>`;
}

function deletionCard(visit: Visit, { mayDelete, asksForPassword }: OwnAccountRules, problem?: string): Html {
  if (!mayDelete) {
    return html`<div class="card"><h2>Delete account</h2>${alert(problem)}<p>Only administrators can delete accounts.</p></div>`;
  }
  const { username } = ownerOf(visit);
  const proof = asksForPassword
    ? passwordField
    : html`<label>Type <code>${username}</code> to delete the account<input name="username" required autocomplete="off" autocapitalize="none" spellcheck="false"></label>`;
  return html`<form class="card" method="post" action="${visit.base}${home}/delete" data-turbo="false">${csrfField(visit)}<h2>Delete account</h2>${alert(problem)}<p>Your personal projects, tokens and keys are deleted with the account, and your issues, comments and merge requests become those of the ghost user. This cannot be undone.</p>${proof}<div class="row"><button class="danger">Delete account</button></div></form>`;
}

/** Runs a change and shows its error on the page. */
const doing =
  (of: Problem['of'], work: (visit: Visit) => Promise<Outcome>) =>
  async (visit: Visit): Promise<Outcome> => {
    try {
      return await work(visit);
    } catch (error) {
      return accountPage(visit, { of, text: refusalReason(error) });
    }
  };

const rename = doing('username', async (visit) => {
  await changeOwnUsername(visit.services, ownerOf(visit), (visit.form.get('username') ?? '').trim());
  return { redirect: visit.base + home, notice: 'Saved.' };
});

const remove = doing('deletion', async (visit) => {
  const proof = {
    password: (visit.form.get('password') ?? '').slice(0, longestPassword),
    username: visit.form.get('username') ?? '',
  };
  await deleteOwnAccount(visit.services, ownerOf(visit), proof, browserOf(visit));
  endCookie(visit);
  const title = 'Your account is deleted';
  const body = html`<div class="card narrow"><h1>${title}</h1><p>You are signed out everywhere. Deleting what belonged to the account can take a while.</p><p><a href="${visit.base}/">Home page</a></p></div>`;
  return { page: layout({ ...visit, user: null, path: '/', address: '/' }, { title, body }) };
});

export const ownAccountPages: readonly Page[] = [
  { path: home, signedIn: true, show: (visit) => accountPage(visit) },
  { method: 'POST', path: `${home}/username`, show: rename },
  { method: 'POST', path: `${home}/delete`, show: remove },
  {
    method: 'POST',
    path: `${home}/:provider/connect`,
    show: doing('connections', (visit) => connectTo(visit, home)),
  },
  {
    method: 'POST',
    path: `${home}/:provider/disconnect`,
    show: doing('connections', (visit) => disconnectFrom(visit, home)),
  },
];
