import { card, submit, withFormErrors } from '../forms/card.ts';
import { type Field, submittedValues, type Values } from '../forms/fields.ts';
import type { Entity } from '../frame/api.ts';
import { html } from '../frame/html.ts';
import type { Outcome } from '../frame/visit.ts';
import { inProject, type ProjectContext } from '../namespaces/project.ts';
import { firstDescription } from '../planning/first-description.ts';
import { itemFields, itemValues, readItem } from '../planning/item-fields.ts';

const branches: readonly Field[] = [
  { name: 'source_branch', label: 'Source branch', required: true },
  { name: 'target_branch', label: 'Target branch', required: true },
];

const choices: readonly Field[] = [
  { name: 'reviewers', label: 'Reviewers', hint: 'Comma-separated usernames' },
  { name: 'squash', label: 'Squash commits on merge', kind: 'check' },
  { name: 'remove_source_branch', label: 'Delete the source branch on merge', kind: 'check' },
];

interface Form {
  readonly title: string;
  readonly action: string;
  readonly button: string;
  readonly fields: readonly Field[];
  readonly values: Values;
  readonly problem?: string | undefined;
}

function formPage(context: ProjectContext, { title, ...form }: Form): Outcome {
  const body = html`<h1>${title}</h1>${card(context.visit, form)}`;
  const status = form.problem !== undefined && { status: 422 };
  return inProject(context, { title, tab: 'merge_requests', body, ...status });
}

async function newForm(context: ProjectContext): Promise<Pick<Form, 'title' | 'action' | 'button' | 'fields'>> {
  return {
    title: 'New merge request',
    action: `${context.home}/-/merge_requests`,
    button: 'Create merge request',
    fields: [...branches, ...(await itemFields(context)), ...choices],
  };
}

/** Suggests title and description if there is a single commit. */
async function suggested({ visit, api }: ProjectContext, from: string, to: string): Promise<Values> {
  if (from === '' || to === '') return {};
  const compared = await visit.api.maybe(`${api}/repository/compare`, { from: to, to: from });
  const commits = compared?.commits ?? [];
  if (commits.length !== 1) return { title: from.replaceAll(/[-_/]+/g, ' ') };
  const [commit] = commits;
  return { title: commit.title, description: commit.message.split('\n').slice(1).join('\n').trim() };
}

/** Options that the project preselects. */
function defaults(project: Entity): Values {
  return {
    squash: project.squash_option === 'default_on' || project.squash_option === 'always',
    remove_source_branch: project.remove_source_branch_after_merge !== false,
  };
}

export async function newPage(context: ProjectContext, problem?: string): Promise<Outcome> {
  const { visit, project } = context;
  const form = await newForm(context);
  if (problem !== undefined)
    return formPage(context, { ...form, values: submittedValues(form.fields, visit.form), problem });
  const queryParam = (name: string) => visit.query.get(`merge_request[${name}]`) ?? undefined;
  const [source_branch = '', target_branch = project.default_branch ?? ''] = [
    queryParam('source_branch'),
    queryParam('target_branch'),
  ];
  const guess = await suggested(context, source_branch, target_branch);
  const prefilled = Object.fromEntries(
    form.fields.flatMap(({ name }) => (queryParam(name) === undefined ? [] : [[name, queryParam(name)]])),
  );
  const values: Values = { ...defaults(project), ...guess, source_branch, target_branch, ...prefilled };
  const description = values.description || (await firstDescription(context, 'merge_requests'));
  return formPage(context, { ...form, values: { ...values, description } });
}

export async function create(context: ProjectContext): Promise<Outcome> {
  const { visit, api, home } = context;
  const again = (problem: string) => newPage(context, problem);
  const { fields } = await newForm(context);
  return withFormErrors(
    async () =>
      submit(visit, {
        method: 'POST',
        path: `${api}/merge_requests`,
        sent: await readItem(context, fields, 'drop'),
        to: (created) => `${home}/-/merge_requests/${created.iid}`,
        again,
      }),
    again,
  );
}

const [, into] = branches;
const editFields = async (context: ProjectContext, item?: Values) => [
  ...(into ? [into] : []),
  ...(await itemFields(context, item)),
  ...choices,
];

export async function editPage(context: ProjectContext, problem?: string): Promise<Outcome> {
  const { visit, api, home } = context;
  const request = await visit.api.get(`${api}/merge_requests/${visit.params.iid}`);
  const fields = await editFields(context, request);
  const values =
    problem === undefined
      ? { ...itemValues(request), remove_source_branch: request.force_remove_source_branch }
      : submittedValues(fields, visit.form);
  const action = `${home}/-/merge_requests/${request.iid}/edit`;
  return formPage(context, { title: `Edit !${request.iid}`, action, button: 'Save', fields, values, problem });
}

export async function save(context: ProjectContext): Promise<Outcome> {
  const { visit, api, home } = context;
  const again = (problem: string) => editPage(context, problem);
  const fields = await editFields(context);
  return withFormErrors(
    async () =>
      submit(visit, {
        method: 'PUT',
        path: `${api}/merge_requests/${visit.params.iid}`,
        sent: await readItem(context, fields, 'keep'),
        to: `${home}/-/merge_requests/${visit.params.iid}`,
        again,
      }),
    again,
  );
}
