import { alert } from '../forms/card.ts';
import { drawField, type Field } from '../forms/fields.ts';
import { refusalOf } from '../frame/api.ts';
import { html } from '../frame/html.ts';
import { csrfField } from '../frame/layout.ts';
import type { Outcome, Page, Visit } from '../frame/visit.ts';
import { pageNotFound } from '../namespaces/project.ts';
import { importPage, namespaceField } from './import-page.ts';

const way = '/import/gitlab_project/new';

const fieldsFor = async (visit: Visit): Promise<readonly Field[]> => [
  { name: 'name', label: 'Name', required: true },
  { name: 'path', label: 'Path', required: true, hint: 'Part of the URL' },
  await namespaceField(visit, 'namespace', 'full_path'),
];

async function newPage(visit: Visit, problem?: string): Promise<Outcome> {
  const drawn = (await fieldsFor(visit)).map((field) => drawField(field, undefined));
  const form = html`<form class="card" method="post" action="${visit.base}/import/gitlab_project" enctype="multipart/form-data" data-turbo="false">${csrfField(visit)}${alert(problem)}${drawn}<label>File<input type="file" name="file" required accept=".gz,.tgz,application/gzip"></label><div class="row"><button class="primary">Import project</button></div></form>`;
  const body = html`<p class="muted">An export file of a project on this or another server: repository, issues, merge requests, labels, milestones and more.</p>${form}`;
  return importPage(visit, { title: 'Import a project file', way, body, isRefused: problem !== undefined });
}

/** The file is streamed to the API, because it may be larger than the memory. */
async function begin(visit: Visit): Promise<Outcome> {
  if (!visit.stream) throw pageNotFound();
  const answer = await visit.api.handOn('/projects/import', visit.stream);
  if (answer.status < 300) return { redirect: `${visit.base}/${answer.body.path_with_namespace}` };
  const refusal = refusalOf(answer);
  if ([400, 404, 409, 413, 422].includes(answer.status)) return newPage(visit, refusal.reason);
  throw refusal;
}

export const archivePages: readonly Page[] = [
  { path: way, signedIn: true, show: (visit) => newPage(visit) },
  { method: 'POST', path: '/import/gitlab_project', show: begin },
];
