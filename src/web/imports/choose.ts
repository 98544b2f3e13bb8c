import { alert, card, hiddenFields } from '../forms/card.ts';
import { drawField, readFields } from '../forms/fields.ts';
import { type Entity, refusalOf, type Sent } from '../frame/api.ts';
import { badge } from '../frame/format.ts';
import { type Html, html, type Part } from '../frame/html.ts';
import { proof } from '../frame/layout.ts';
import type { Outcome, Page, Visit } from '../frame/visit.ts';
import { type Host, hosts } from './hosts.ts';
import { statusAddress } from './status.ts';
import { importPage, spaceField } from './ways.ts';

/** Each makes a project and has the other host asked: so many at once are enough. */
const mostAtOnce = 20;

const wayOf = ({ slug }: Host) => `/import/${slug}/new`;

function askPage(visit: Visit, host: Host, problem?: string): Promise<Outcome> {
  const form = card(visit, {
    action: `${visit.base}/import/${host.slug}/status`,
    fields: host.fields,
    values: Object.fromEntries(visit.form),
    button: 'List repositories',
    problem,
    answersInPlace: true,
  });
  const body = html`<p class="muted">${host.brings}</p>${form}`;
  return importPage(visit, { title: `Import from ${host.title}`, way: wayOf(host), body, problem });
}

/** What was typed of who asks there: each form of the list carries it on, since nothing keeps it here. */
function credentialsIn(visit: Visit, host: Host): Record<string, string> {
  return Object.fromEntries(
    Object.entries(readFields(host.fields, visit.form)).map(([name, text]) => [name, `${text}`]),
  );
}

function repositoryItem(one: Entity, chosen: ReadonlySet<string>): Html {
  const value = `${one.id} ${one.full_name}`;
  return html`<li><label class="tick"><input type="checkbox" name="repository" value="${value}"${chosen.has(value) && html` checked`}> <strong>${one.full_name}</strong> ${badge(one.private ? 'private' : 'public')}${one.description && html`<span class="hint">${one.description}</span>`}</label></li>`;
}

async function listPage(visit: Visit, host: Host, problem?: Part): Promise<Outcome> {
  const { base, form } = visit;
  const credentials = credentialsIn(visit, host);
  const search = form.get('search') ?? '';
  const page = form.get('page') || undefined;
  const asked = { ...credentials, search, ...(page !== undefined && { page }) };
  const answer = await visit.api.ask('POST', `/import/${host.slug}/repositories`, asked);
  if (answer.status >= 300) {
    const refusal = refusalOf(answer);
    if (answer.status >= 500 || answer.status === 429) throw refusal;
    return askPage(visit, host, refusal.reason);
  }
  const { repositories, next_page } = answer.body;
  const space = await spaceField(visit, 'target_namespace', 'full_path');
  const chosen = new Set(form.getAll('repository'));
  const post = (action: string, inner: Part) =>
    html`<form class="card" method="post" action="${base}/import/${host.slug}${action}" data-turbo="false">${proof(visit)}${hiddenFields(credentials)}${inner}</form>`;
  const filter = html`<form class="filters" method="post" action="${base}/import/${host.slug}/status" data-turbo="false">${proof(visit)}${hiddenFields(credentials)}<label>Part of the name<input type="search" name="search" value="${search}"></label><button>Filter</button></form>`;
  const where = hiddenFields({ search, page: page ?? '' });
  const list =
    repositories.length === 0
      ? html`<p class="empty">No repository fits. Look for another part of the name, or use a token that reads more.</p>`
      : post(
          '',
          html`${where}<ul class="list">${repositories.map((one: Entity) => repositoryItem(one, chosen))}</ul>${drawField(space, form.get('target_namespace'))}<div class="row"><button class="primary">Import those that are ticked</button></div>`,
        );
  const more =
    next_page !== null &&
    post(
      '/status',
      html`${hiddenFields({ search, page: `${next_page}` })}<div class="row"><button>More repositories</button></div>`,
    );
  const gists =
    host.slug === 'github' &&
    !credentials.github_hostname &&
    html`<h2>Gists</h2>${post('/gists', html`<p>Your gists become snippets of yours.</p><div class="row"><button>Import gists</button></div>`)}`;
  const body = html`${problem}${filter}${list}${more}${gists}`;
  return importPage(visit, {
    title: `Import from ${host.title}`,
    way: wayOf(host),
    body,
    problem: problem === undefined ? undefined : '',
  });
}

interface Begun {
  readonly ids: readonly number[];
  readonly refused: readonly string[];
}

/** One after the other, in the order of the list; what one is refused for does not keep the others back. */
async function beginAll(visit: Visit, host: Host, chosen: readonly string[], sent: Sent): Promise<Begun> {
  const ids: number[] = [];
  const refused: string[] = [];
  for (const value of chosen) {
    const [id = '', name = ''] = value.split(/ (.*)/s);
    const answer = await visit.api.ask('POST', `/import/${host.slug}`, { ...sent, ...host.chosen(id) });
    if (answer.status < 300) ids.push(answer.body.id);
    else refused.push(`${name || id}: ${refusalOf(answer).reason}`);
  }
  return { ids, refused };
}

async function begin(visit: Visit, host: Host): Promise<Outcome> {
  const chosen = visit.form.getAll('repository');
  if (chosen.length === 0) return listPage(visit, host, alert('Tick what is to be imported.'));
  if (chosen.length > mostAtOnce) return listPage(visit, host, alert(`Tick at most ${mostAtOnce} at once.`));
  const target_namespace = visit.form.get('target_namespace') ?? '';
  const { ids, refused } = await beginAll(visit, host, chosen, { ...credentialsIn(visit, host), target_namespace });
  if (refused.length === 0) return { redirect: statusAddress(visit, ids) };
  const others =
    ids.length > 0 &&
    html`<p class="told" role="status"><a href="${statusAddress(visit, ids)}">The others</a> are on their way.</p>`;
  return listPage(visit, host, html`${refused.map((text) => alert(text))}${others}`);
}

async function gists(visit: Visit, host: Host): Promise<Outcome> {
  const { personal_access_token } = credentialsIn(visit, host);
  const answer = await visit.api.ask('POST', '/import/github/gists', { personal_access_token });
  if (answer.status >= 500) throw refusalOf(answer);
  const told =
    answer.status < 300
      ? html`<p class="told" role="status">Your gists are on their way: see <a href="${visit.base}/dashboard/snippets">your snippets</a>.</p>`
      : alert(refusalOf(answer).reason);
  return listPage(visit, host, told);
}

/** The list is an answer to a form: whoever opens its address begins with the form. */
const pagesOf = (host: Host): readonly Page[] => [
  { path: wayOf(host), signedIn: true, show: (visit) => askPage(visit, host) },
  { path: `/import/${host.slug}/status`, show: ({ base }) => ({ redirect: base + wayOf(host) }) },
  { method: 'POST', path: `/import/${host.slug}/status`, show: (visit) => listPage(visit, host) },
  { method: 'POST', path: `/import/${host.slug}`, show: (visit) => begin(visit, host) },
];

export const hostPages: readonly Page[] = [
  ...hosts.flatMap(pagesOf),
  ...hosts
    .filter(({ slug }) => slug === 'github')
    .map((host): Page => ({ method: 'POST', path: '/import/github/gists', show: (visit) => gists(visit, host) })),
];
