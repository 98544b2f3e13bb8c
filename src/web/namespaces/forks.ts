import { card, submit } from '../forms/card.ts';
import { type Field, readFields, submittedValues } from '../forms/fields.ts';
import { listOr } from '../frame/format.ts';
import { html } from '../frame/html.ts';
import { pageOf, pager } from '../frame/paging.ts';
import type { Outcome, Page, Visit } from '../frame/visit.ts';
import { searchForm } from '../home/explore.ts';
import { projectItem } from '../home/project-list.ts';
import { namespaceField } from '../imports/import-page.ts';
import { visibilities } from '../settings/project.ts';
import { inProject, type ProjectContext, projectPage, sectionTitle } from './project.ts';

export const visibility: Field = { name: 'visibility', label: 'Visibility', kind: 'select', options: visibilities };

const forkFields = async (visit: Visit): Promise<Field[]> => [
  await namespaceField(visit, 'namespace_id'),
  { name: 'name', label: 'Name' },
  { name: 'path', label: 'Path' },
  visibility,
];

async function forkPage(context: ProjectContext, problem?: string): Promise<Outcome> {
  const { visit, home, project } = context;
  const fields = await forkFields(visit);
  const form = card(visit, {
    action: `${home}/-/forks`,
    fields,
    values: problem === undefined ? project : submittedValues(fields, visit.form),
    button: 'Fork project',
    problem,
  });
  const body = html`<h1>Fork ${project.name_with_namespace}</h1><p class="muted">A fork is your own copy, from which you can create merge requests.</p>${form}`;
  return inProject(context, { title: 'Fork', tab: '', body, ...(problem !== undefined && { status: 422 }) });
}

async function fork(context: ProjectContext): Promise<Outcome> {
  const { visit, api } = context;
  return submit(visit, {
    method: 'POST',
    path: `${api}/fork`,
    sent: readFields(await forkFields(visit), visit.form),
    to: (created) => `${visit.base}/${created.path_with_namespace}`,
    again: (problem) => forkPage(context, problem),
  });
}

async function forksPage(context: ProjectContext): Promise<Outcome> {
  const { visit, api, home } = context;
  const query = { order_by: 'last_activity_at', per_page: 20, page: pageOf(visit) };
  const forks = await visit.api.page(`${api}/forks`, { ...query, search: visit.query.get('name') });
  const button = visit.user ? html`<a class="button primary" href="${home}/-/forks/new">New fork</a>` : undefined;
  const body = html`${sectionTitle('Forks', button)}${searchForm(visit, 'Fork')}${listOr(forks.body, (one) => projectItem(visit, one), 'No visible forks.')}${pager(visit, forks)}`;
  return inProject(context, { title: 'Forks', tab: '', body });
}

export const forkPages: readonly Page[] = [
  projectPage({ path: '/:project/-/forks', show: forksPage }),
  projectPage({ path: '/:project/-/forks/new', signedIn: true, show: (context) => forkPage(context) }),
  projectPage({ method: 'POST', path: '/:project/-/forks', show: fork }),
];
