import { card, submit, withFormErrors } from '../forms/card.ts';
import { type Field, submittedValues } from '../forms/fields.ts';
import type { Entity } from '../frame/api.ts';
import { html } from '../frame/html.ts';
import type { Outcome } from '../frame/visit.ts';
import { inProject, type ProjectContext } from '../namespaces/project.ts';
import { roleInProject } from '../namespaces/roles.ts';
import { firstDescription } from './first-description.ts';
import { itemFields, itemValues, readItem } from './item-fields.ts';
import { mayPlan } from './kind.ts';

const more: readonly Field[] = [
  { name: 'due_date', label: 'Due', kind: 'date' },
  { name: 'confidential', label: 'Confidential: only for members of the project', kind: 'check' },
];

/** Planners cannot create incidents. */
const types = ({ visit, project }: ProjectContext): Field => ({
  name: 'issue_type',
  label: 'Type',
  kind: 'select',
  options: [
    ['issue', 'Issue'],
    ...(roleInProject(visit, project) >= 20 ? [['incident', 'Incident'] as const] : []),
    ['task', 'Task'],
  ],
});

/** The type is shown to users who can plan; types that are not offered stay unchanged. */
async function fieldsOf(context: ProjectContext, issue?: Entity): Promise<Field[]> {
  const [title, ...rest] = await itemFields(context, issue);
  const hasType = mayPlan(context, 'issues') && issue?.issue_type !== 'test_case';
  return [...(title ? [title] : []), ...(hasType ? [types(context)] : []), ...rest, ...more];
}

export async function issueForm(context: ProjectContext, problem?: string): Promise<Outcome> {
  const { visit, api, home } = context;
  const { iid } = visit.params;
  const issue = iid === undefined ? undefined : await visit.api.get(`${api}/issues/${iid}`);
  const fields = await fieldsOf(context, issue);
  const prefilled = Object.fromEntries(fields.map(({ name }) => [name, visit.query.get(`issue[${name}]`)]));
  const stored = issue
    ? itemValues(issue)
    : { ...prefilled, description: prefilled.description || (await firstDescription(context, 'issues')) };
  const title = issue ? `Edit #${issue.iid}` : 'New issue';
  const form = card(visit, {
    action: issue ? `${home}/-/issues/${issue.iid}/edit` : `${home}/-/issues`,
    fields,
    values: problem === undefined ? stored : submittedValues(fields, visit.form),
    button: issue ? 'Save' : 'Create issue',
    problem,
  });
  const body = html`<h1>${title}</h1>${form}`;
  return inProject(context, { title, tab: 'issues', body, ...(problem !== undefined && { status: 422 }) });
}

async function send(context: ProjectContext, method: 'POST' | 'PUT', path: string): Promise<Outcome> {
  const { visit, home } = context;
  const again = (problem: string) => issueForm(context, problem);
  return withFormErrors(async () => {
    const { issue_type, ...sent } = await readItem(
      context,
      await fieldsOf(context),
      method === 'POST' ? 'drop' : 'keep',
    );
    return submit(visit, {
      method,
      path,
      sent: { ...sent, ...(issue_type !== '' && { issue_type }) },
      to: (created) => `${home}/-/issues/${created.iid}`,
      again,
    });
  }, again);
}

export const createIssue = (context: ProjectContext) => send(context, 'POST', `${context.api}/issues`);
export const saveIssue = (context: ProjectContext) =>
  send(context, 'PUT', `${context.api}/issues/${context.visit.params.iid}`);

/** Subscribes to an issue, unsubscribes from it, or creates a to-do item. */
export const issueAct =
  (action: 'subscribe' | 'unsubscribe' | 'todo') =>
  async (context: ProjectContext): Promise<Outcome> => {
    const { visit, api, home } = context;
    await visit.api.send('POST', `${api}/issues/${visit.params.iid}/${action}`);
    return { redirect: `${home}/-/issues/${visit.params.iid}` };
  };

export async function removeIssue({ visit, api, home }: ProjectContext): Promise<Outcome> {
  await visit.api.send('DELETE', `${api}/issues/${visit.params.iid}`);
  return { redirect: `${home}/-/issues` };
}
