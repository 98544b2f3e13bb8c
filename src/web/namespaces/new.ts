import { card, submit } from '../forms/card.ts';
import { type Field, readFields, submittedValues } from '../forms/fields.ts';
import { html } from '../frame/html.ts';
import { layout } from '../frame/layout.ts';
import { renderOne } from '../frame/markdown.ts';
import type { Outcome, Page, Visit } from '../frame/visit.ts';
import { namespaceField, waysIn } from '../imports/import-page.ts';
import { forkPages, visibility } from './forks.ts';
import { type ProjectContext, projectPage } from './project.ts';
import { starPages } from './stars.ts';

const newFields = async (visit: Visit): Promise<Field[]> => [
  { name: 'name', label: 'Name', required: true },
  { name: 'path', label: 'Path', hint: 'Part of the URL; default: derived from the name' },
  await namespaceField(visit, 'namespace_id'),
  { name: 'description', label: 'Description' },
  visibility,
  { name: 'initialize_with_readme', label: 'Initialize with a README', kind: 'check' },
];

async function newProject(visit: Visit, problem?: string): Promise<Outcome> {
  const fields = await newFields(visit);
  const form = card(visit, {
    action: `${visit.base}/projects`,
    fields,
    values:
      problem === undefined
        ? { namespace_id: visit.query.get('namespace_id') ?? '' }
        : submittedValues(fields, visit.form),
    button: 'Create project',
    problem,
  });
  const { new_project_guidelines: guidelines } = visit.look.appearance;
  const advice = guidelines.trim() !== '' && (await renderOne(visit, undefined, guidelines));
  const body = html`<h1>New project</h1>${await waysIn(visit, '/projects/new')}${advice}${form}<p class="muted">A group contains projects and members: <a href="${visit.base}/groups/new">new group</a>.</p>`;
  return { page: layout(visit, { title: 'New project', body }), ...(problem !== undefined && { status: 422 }) };
}

async function createProject(visit: Visit): Promise<Outcome> {
  return submit(visit, {
    method: 'POST',
    path: '/projects',
    sent: readFields(await newFields(visit), visit.form),
    to: (created) => `${visit.base}/${created.path_with_namespace}`,
    again: (problem) => newProject(visit, problem),
  });
}

/** Sets the user's notification level for a project. */
async function notify({ visit, api, home }: ProjectContext): Promise<Outcome> {
  await visit.api.send('PUT', `${api}/notification_settings`, { level: visit.form.get('level') ?? '' });
  return { redirect: home };
}

export const newProjectPages: readonly Page[] = [
  { path: '/projects/new', signedIn: true, show: (visit) => newProject(visit) },
  { method: 'POST', path: '/projects', show: createProject },
  ...forkPages,
  ...starPages,
  projectPage({ method: 'POST', path: '/:project/-/notifications', show: notify }),
];
