import type { Collection } from '../forms/collection.ts';
import type { Field } from '../forms/fields.ts';
import { badge } from '../frame/format.ts';
import { html } from '../frame/html.ts';

const value: readonly Field[] = [
  { name: 'value', label: 'Value', kind: 'area' },
  { name: 'description', label: 'Description' },
  {
    name: 'variable_type',
    label: 'Type',
    kind: 'select',
    options: [
      ['env_var', 'Variable'],
      ['file', 'File'],
    ],
  },
  { name: 'protected', label: 'Protected branches and tags only', kind: 'check' },
  { name: 'masked', label: 'Mask in logs', kind: 'check' },
  { name: 'raw', label: 'Raw: do not expand $', kind: 'check' },
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
  intro: 'Variables are available in jobs. Users who can edit jobs can read them.',
  empty: 'No variables.',
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
