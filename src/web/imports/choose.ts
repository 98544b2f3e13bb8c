import { alert, card, hiddenFields } from '../forms/card.ts';
import { drawField, readFields } from '../forms/fields.ts';
import { type Entity, type JsonBody, refusalOf } from '../frame/api.ts';
import { badge } from '../frame/format.ts';
import { type Html, html, type Part } from '../frame/html.ts';
import { csrfField } from '../frame/layout.ts';
import type { Outcome, Page, Visit } from '../frame/visit.ts';
import { type Host, hosts } from './hosts.ts';
import { importPage, namespaceField } from './import-page.ts';
import { statusAddress } from './status.ts';

/** Limit of repositories per submission; each creates a project and sends requests to the other host. */
const maxAtOnce = 20;

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
  return importPage(visit, {
    title: `Import from ${host.title}`,
    way: wayOf(host),
    body,
    isRefused: problem !== undefined,
  });
}

/**
 * Returns the submitted credentials. They are repeated in each form of the list, because the server does not store
 * them.
 */
function credentialsIn(visit: Visit, host: Host): Record<string, string> {
  return Object.fromEntries(
    Object.entries(readFields(host.fields, visit.form)).map(([name, text]) => [name, `${text}`]),
  );
}

function repositoryItem(one: Entity, chosen: ReadonlySet<string>): Html {
  const value = `${one.id} ${one.full_name}`;
  return html`<li><label class="tick"><input type="checkbox" name="repository" value="${value}"${chosen.has(value) && html` checked`}> <strong>${one.full_name}</strong> ${badge(one.private ? 'private' : 'public')}${one.description && html`<span class="hint">${one.description}</span>`}</label></li>`;
}

/** Messages above the list. */
interface Messages {
  readonly problem?: Part;
  readonly notice?: Part;
}

/** A form that carries the credentials. */
function formTo(visit: Visit, host: Host, action: string, inner: Part, look = 'card'): Html {
  return html`<form class="${look}" method="post" action="${visit.base}/import/${host.slug}${action}" data-turbo="false">${csrfField(visit)}${hiddenFields(credentialsIn(visit, host))}${inner}</form>`;
}

/** The form that lists repositories; the selected ones are imported into the chosen namespace. */
async function tickList(visit: Visit, host: Host, repositories: readonly Entity[]): Promise<Html> {
  if (repositories.length === 0)
    return html`<p class="empty">No matching repositories. Change the filter, or use a token with more access.</p>`;
  const { form } = visit;
  const chosen = new Set(form.getAll('repository'));
  const space = await namespaceField(visit, 'target_namespace', 'full_path');
  const here = hiddenFields({ search: form.get('search') ?? '', page: form.get('page') ?? '' });
  const inner = html`${here}<ul class="list">${repositories.map((one) => repositoryItem(one, chosen))}</ul>${drawField(space, form.get('target_namespace'))}<div class="row"><button class="primary">Import selected</button></div>`;
  return formTo(visit, host, '', inner);
}

async function listPage(visit: Visit, host: Host, { problem, notice }: Messages = {}): Promise<Outcome> {
  const search = visit.form.get('search') ?? '';
  const page = visit.form.get('page') || undefined;
  const query = { ...credentialsIn(visit, host), search, ...(page !== undefined && { page }) };
  const answer = await visit.api.ask('POST', `/import/${host.slug}/repositories`, query);
  if (answer.status >= 300) {
    const refusal = refusalOf(answer);
    if (answer.status >= 500 || answer.status === 429) throw refusal;
    return askPage(visit, host, refusal.reason);
  }
  const { repositories, next_page } = answer.body;
  const filter = html`<label>Part of the name<input type="search" name="search" value="${search}"></label><button>Filter</button>`;
  const more = html`${hiddenFields({ search, page: `${next_page}` })}<div class="row"><button>More repositories</button></div>`;
  const ownGists = html`<h2>Gists</h2>${formTo(visit, host, '/gists', html`<p>Your gists are imported as personal snippets.</p><div class="row"><button>Import gists</button></div>`)}`;
  const body = html`${problem}${notice}${formTo(visit, host, '/status', filter, 'filters')}${await tickList(visit, host, repositories)}${next_page !== null && formTo(visit, host, '/status', more)}${host.slug === 'github' && !visit.form.get('github_hostname') && ownGists}`;
  return importPage(visit, {
    title: `Import from ${host.title}`,
    way: wayOf(host),
    body,
    isRefused: problem !== undefined,
  });
}

interface StartedImports {
  readonly ids: readonly number[];
  readonly refused: readonly string[];
}

/** Starts the imports in the order of the list; a rejected one does not stop the others. */
async function startImports(
  visit: Visit,
  host: Host,
  chosen: readonly string[],
  sent: JsonBody,
): Promise<StartedImports> {
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
  if (chosen.length === 0) return listPage(visit, host, { problem: alert('Select what to import.') });
  if (chosen.length > maxAtOnce) return listPage(visit, host, { problem: alert(`Tick at most ${maxAtOnce} at once.`) });
  const target_namespace = visit.form.get('target_namespace') ?? '';
  const { ids, refused } = await startImports(visit, host, chosen, { ...credentialsIn(visit, host), target_namespace });
  if (refused.length === 0) return { redirect: statusAddress(visit, ids) };
  const notice =
    ids.length > 0 &&
    html`<p class="told" role="status"><a href="${statusAddress(visit, ids)}">The others</a> are on their way.</p>`;
  return listPage(visit, host, { problem: refused.map((text) => alert(text)), notice });
}

async function gists(visit: Visit, host: Host): Promise<Outcome> {
  const { personal_access_token } = credentialsIn(visit, host);
  const answer = await visit.api.ask('POST', '/import/github/gists', { personal_access_token });
  if (answer.status >= 500) throw refusalOf(answer);
  if (answer.status >= 300) return listPage(visit, host, { problem: alert(refusalOf(answer).reason) });
  return listPage(visit, host, {
    notice: html`<p class="told" role="status">Your gists are being imported: see <a href="${visit.base}/dashboard/snippets">your snippets</a>.</p>`,
  });
}

/** The list is the response to a form; opening its URL redirects to the form. */
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
