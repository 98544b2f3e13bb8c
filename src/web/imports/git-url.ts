import { card, submit } from '../forms/card.ts';
import { type Field, readFields, submittedValues } from '../forms/fields.ts';
import type { JsonBody } from '../frame/api.ts';
import { html } from '../frame/html.ts';
import type { Outcome, Page, Visit } from '../frame/visit.ts';
import { visibilities } from '../settings/project.ts';
import { importPage, namespaceField } from './import-page.ts';

const way = '/import/git/new';

/** URL and credentials of a repository. */
export const addressFields: readonly Field[] = [
  {
    name: 'import_url',
    label: 'Repository URL',
    kind: 'url',
    required: true,
    placeholder: 'https://example.com/group/project.git',
  },
  { name: 'username', label: 'Username', hint: 'Empty for public repositories' },
  { name: 'password', label: 'Password or token', kind: 'password' },
];

/** Adds the credentials to the URL, as the API expects them; the API rejects an invalid URL. */
export function withCredentials({ username, password, ...sent }: JsonBody): JsonBody {
  const url = URL.parse(String(sent.import_url ?? '').trim());
  if (!url || (!username && !password)) return sent;
  // The setters encode everything except the percent sign.
  url.username = encodeURIComponent(String(username ?? ''));
  url.password = encodeURIComponent(String(password ?? ''));
  return { ...sent, import_url: url.href };
}

const fieldsFor = async (visit: Visit): Promise<readonly Field[]> => [
  ...addressFields,
  { name: 'mirror', label: 'Mirror repository', kind: 'check', hint: 'Fetches changes regularly' },
  { name: 'name', label: 'Name', required: true },
  { name: 'path', label: 'Path', hint: 'Part of the URL; default: derived from the name' },
  await namespaceField(visit, 'namespace_id'),
  { name: 'description', label: 'Description' },
  { name: 'visibility', label: 'Visibility', kind: 'select', options: visibilities },
];

async function newPage(visit: Visit, problem?: string): Promise<Outcome> {
  const fields = await fieldsFor(visit);
  const form = card(visit, {
    action: `${visit.base}/import/git`,
    fields,
    values: problem === undefined ? {} : submittedValues(fields, visit.form),
    button: 'Import project',
    problem,
  });
  const body = html`<p class="muted">Imports branches, tags and LFS objects of any Git repository over HTTP. To import issues and merge requests, select a host above.</p>${form}`;
  return importPage(visit, { title: 'Import a repository by URL', way, body, isRefused: problem !== undefined });
}

async function begin(visit: Visit): Promise<Outcome> {
  const { mirror, ...sent } = withCredentials(readFields(await fieldsFor(visit), visit.form));
  return submit(visit, {
    method: 'POST',
    path: '/projects',
    sent: mirror === true ? { ...sent, mirror } : sent,
    to: (created) => `${visit.base}/${created.path_with_namespace}`,
    again: (problem) => newPage(visit, problem),
  });
}

export const gitUrlPages: readonly Page[] = [
  { path: way, signedIn: true, show: (visit) => newPage(visit) },
  { method: 'POST', path: '/import/git', show: begin },
];
