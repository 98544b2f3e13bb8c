import { card, submit } from '../forms/card.ts';
import { type Field, normalizeLineEndings, submittedValues } from '../forms/fields.ts';
import type { Entity } from '../frame/api.ts';
import { html } from '../frame/html.ts';
import type { Outcome, Page } from '../frame/visit.ts';
import { inProject, type ProjectContext, projectPage } from '../namespaces/project.ts';
import { changedInputs, inputFields, startingInputs } from './inputs.ts';

const refField: Field = { name: 'ref', label: 'Branch or tag', required: true };
const variablesField: Field = {
  name: 'variables',
  label: 'Variables',
  kind: 'area',
  hint: 'One per line, as NAME=value',
};

/** Parses variables, one per line. A line without a name is passed on, and the API rejects it. */
export function readVariables(text: string): { key: string; value: string }[] {
  return normalizeLineEndings(text)
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const [, key = line, value = ''] = /^([^=]*)=(.*)$/s.exec(line) ?? [];
      return { key: key.trim(), value };
    });
}

/** The inputs that the configuration of a ref declares; none if it cannot be read, which running it reports. */
async function inputsOf({ visit, api }: ProjectContext, ref: string | null): Promise<readonly Entity[]> {
  return (await visit.api.maybe(`${api}/pipelines/inputs`, { ref })) ?? [];
}

async function runForm(context: ProjectContext, problem?: string): Promise<Outcome> {
  const { visit, home, project } = context;
  const ref = visit.form.get('ref') ?? visit.query.get('ref') ?? project.default_branch;
  const inputs = await inputsOf(context, ref);
  const fields = [refField, ...inputFields(inputs), variablesField];
  const form = card(visit, {
    action: `${home}/-/pipelines`,
    fields,
    values: problem === undefined ? { ref, ...startingInputs(inputs) } : submittedValues(fields, visit.form),
    button: 'Run pipeline',
    problem,
  });
  const body = html`<h1>Run pipeline</h1>${form}`;
  return inProject(context, {
    title: 'Run pipeline',
    tab: 'pipelines',
    body,
    ...(problem !== undefined && { status: 422 }),
  });
}

async function run(context: ProjectContext): Promise<Outcome> {
  const { visit, api, home } = context;
  const ref = visit.form.get('ref');
  const variables = readVariables(visit.form.get('variables') ?? '');
  const inputs = changedInputs(await inputsOf(context, ref), visit.form);
  return submit(visit, {
    method: 'POST',
    path: `${api}/pipeline`,
    sent: { ref, inputs, ...(variables.length > 0 && { variables }) },
    to: (created) => `${home}/-/pipelines/${created.id}`,
    again: (problem) => runForm(context, problem),
  });
}

export const runPages: readonly Page[] = [
  projectPage({ path: '/:project/-/pipelines/new', signedIn: true, show: (context) => runForm(context) }),
  projectPage({ method: 'POST', path: '/:project/-/pipelines', show: run }),
];
