import { accountSection } from '../account/section.ts';
import { alert } from '../forms/card.ts';
import { type Collection, collectionPages } from '../forms/collection.ts';
import { type Entity, refusalOf } from '../frame/api.ts';
import { badge, listOr } from '../frame/format.ts';
import { type Html, html } from '../frame/html.ts';
import { csrfField } from '../frame/layout.ts';
import { pageOf, pager } from '../frame/paging.ts';
import type { Outcome, Page } from '../frame/visit.ts';
import { type GroupContext, groupPage, inGroup } from '../namespaces/group.ts';
import { inGroupSettings } from '../namespaces/sections.ts';

const path = '/-/settings/reassignments';

const states: Readonly<Record<string, readonly [kind: string, text: string]>> = {
  pending_reassignment: ['pending', 'nobody yet'],
  awaiting_approval: ['running', 'asked'],
  rejected: ['failed', 'declined'],
  reassignment_in_progress: ['running', 'being reassigned'],
  completed: ['success', 'done'],
};

/** A user of the source host; the name there can be chosen freely. */
const whoThere = (one: Entity): Html =>
  html`<strong>${one.source_name || one.source_username}</strong> <span class="muted">@${one.source_username} on ${one.source_hostname} (${one.import_type.replaceAll('_', ' ')})</span>`;

function item({ visit, home }: GroupContext, one: Entity): Html {
  const [kind, text] = states[one.status] ?? ['pending', one.status];
  const form =
    ['pending_reassignment', 'rejected'].includes(one.status) &&
    html`<form class="row" method="post" action="${home}${path}/${one.id}">${csrfField(visit)}<label class="hidden" for="user-${one.id}">Username for ${one.source_username}</label><input id="user-${one.id}" name="username" required placeholder="Username here"><button>Ask</button></form>`;
  return html`<li><div class="row"><span class="main">${whoThere(one)}</span>${form}<span class="end">${badge(kind, text)}</span></div></li>`;
}

function file({ visit, api, home }: GroupContext): Html {
  return html`<h2>Bulk reassignment</h2><p><a href="${visit.base}/api/v4${api}/placeholder_reassignments" data-turbo="false">Download the CSV file</a> of unassigned users, enter usernames or email addresses, and upload it.</p><form class="card" method="post" action="${home}${path}/file" enctype="multipart/form-data">${csrfField(visit)}<label>Table<input type="file" name="file" required accept=".csv,text/csv"></label><div class="row"><button>Upload</button></div></form>`;
}

interface Messages {
  readonly problem?: string;
  readonly notice?: Html;
}

/** Lists the source users of a group's imports, and the users that their contributions are assigned to. */
async function listPage(context: GroupContext, { problem, notice }: Messages = {}): Promise<Outcome> {
  const { visit, api } = context;
  const answer = await visit.api.page(`${api}/import_source_users`, { per_page: 50, page: pageOf(visit) });
  const empty = 'No imported contributions of users of another host.';
  const list = html`${listOr(answer.body, (one) => item(context, one), empty)}${pager(visit, answer)}`;
  const body = html`<h1>Reassignments</h1><p class="muted">Imported contributions belong to placeholder users. Reassign them to users of this server, who must accept first.</p>${alert(problem)}${notice}${list}${answer.body.length > 0 && file(context)}`;
  return inGroup(context, {
    title: 'Reassignments',
    tab: 'edit',
    body: inGroupSettings(context, body),
    ...(problem !== undefined && { status: 422 }),
  });
}

async function reassign(context: GroupContext): Promise<Outcome> {
  const { visit, api, home } = context;
  const url = `${api}/import_source_users/${visit.params.id}/reassign`;
  const answer = await visit.api.ask('POST', url, { username: visit.form.get('username') ?? '' });
  if (answer.status < 300) return { redirect: home + path };
  const refusal = refusalOf(answer);
  if (answer.status === 400) return listPage(context, { problem: refusal.reason });
  throw refusal;
}

async function takeFile(context: GroupContext): Promise<Outcome> {
  const { visit, api } = context;
  if (!visit.file) return listPage(context, { problem: 'Choose a file first.' });
  const answer = await visit.api.upload(`${api}/placeholder_reassignments`, visit.file);
  if (answer.status === 400 || answer.status === 413) {
    return listPage(context, { problem: refusalOf(answer).reason || 'The file is too large.' });
  }
  if (answer.status >= 300) throw refusalOf(answer);
  const failures: readonly Entity[] = answer.body.failures;
  const failed =
    failures.length > 0 &&
    html`<p>These rows were skipped:</p><ul>${failures.slice(0, 100).map(({ row, error }) => html`<li>${row}: ${error}</li>`)}</ul>`;
  return listPage(context, {
    notice: html`<div class="told" role="status"><p>The file was imported.</p>${failed}</div>`,
  });
}

const one = (id: string) => `/import/source_users/${encodeURIComponent(id)}`;

/** The source users that the user is asked to confirm as themselves. */
const own: Collection = {
  path: '/-/user_settings/reassignments',
  title: 'Reassignments',
  intro:
    'Group owners ask you to accept imported contributions. Accepted issues, comments and merge requests are assigned to you permanently.',
  empty: 'No pending reassignments.',
  list: '/import/source_users',
  item: whoThere,
  buttons: {
    accept: { text: 'Accept', method: 'POST', path: (id) => `${one(id)}/accept` },
    reject: { text: 'Decline', method: 'POST', path: (id) => `${one(id)}/reject` },
  },
};

export const reassignmentPages: readonly Page[] = [
  groupPage({ path: `/groups/:path${path}`, signedIn: true, show: (context) => listPage(context) }),
  groupPage({ method: 'POST', path: `/groups/:path${path}/file`, show: takeFile }),
  groupPage({ method: 'POST', path: `/groups/:path${path}/:id`, show: reassign }),
  ...collectionPages(accountSection, '', own),
];
