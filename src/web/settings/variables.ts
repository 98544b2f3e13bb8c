import type { Collection } from '../forms/collection.ts';
import type { Field } from '../forms/fields.ts';
import { badge } from '../frame/format.ts';
import { html } from '../frame/html.ts';

const value: readonly Field[] = [
  { name: 'value', label: 'Value', kind: 'area' },
  { name: 'description', label: 'What it is for' },
  {
    name: 'variable_type',
    label: 'Given to jobs as',
    kind: 'select',
    options: [
      ['env_var', 'Variable'],
      ['file', 'File whose path is the variable'],
    ],
  },
  { name: 'protected', label: 'Only for protected branches and tags', kind: 'check' },
  { name: 'masked', label: 'Hidden in logs', kind: 'check' },
  { name: 'raw', label: 'Taken as it is: no $ in it is replaced', kind: 'check' },
];

/** A variable is identified by key and environment scope. */
const idOf = ({ key, environment_scope }: { key: string; environment_scope?: string }) =>
  JSON.stringify([key, environment_scope ?? '*']);

function pathOf(id: string): string {
  const [, key = '', scope = '*'] = /^\["((?:[^"\\]|\\.)*)","((?:[^"\\]|\\.)*)"\]$/.exec(id) ?? [];
  const filter = `filter%5Benvironment_scope%5D=${encodeURIComponent(scope)}`;
  return `/variables/${encodeURIComponent(key)}?${filter}`;
}

export const variables: Collection = {
  path: '/-/settings/variables',
  title: 'CI/CD variables',
  intro: 'Variables are given to jobs. Whoever may change what jobs do can read them.',
  empty: 'No variable.',
  list: '/variables',
  least: 40,
  idOf,
  item: (one) =>
    html`<code>${one.key}</code> ${one.protected && badge('protected')} ${one.masked && badge('masked')} ${one.environment_scope !== '*' && html`<span class="muted">${one.environment_scope}</span>`}<p class="muted">${one.description}</p>`,
  add: {
    title: 'New variable',
    button: 'Add variable',
    fields: [
      { name: 'key', label: 'Name', required: true },
      ...value,
      { name: 'environment_scope', label: 'Environments', hint: '* for all' },
    ],
    start: async ({ visit }) => {
      const { protected_ci_variables } = await visit.services.settings.read();
      return { environment_scope: '*', variable_type: 'env_var', protected: protected_ci_variables };
    },
    prepare: (sent) => ({ value: '', ...sent }),
  },
  edit: { fields: value, method: 'PUT', path: pathOf },
  buttons: { remove: { text: 'Delete', method: 'DELETE', path: pathOf } },
};
