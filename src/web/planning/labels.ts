import { type Collection, collectionPages, type Section } from '../forms/collection.ts';
import type { Field } from '../forms/fields.ts';
import { count, label } from '../frame/format.ts';
import { html } from '../frame/html.ts';
import type { Page } from '../frame/visit.ts';

const texts: readonly Field[] = [
  { name: 'color', label: 'Colour', required: true, placeholder: '#1f75cb' },
  { name: 'description', label: 'Description' },
];

const labels: Collection = {
  path: '/-/labels',
  title: 'Labels',
  empty: 'No labels yet. Labels categorize issues and merge requests and define board lists.',
  list: '/labels',
  query: { with_counts: true },
  open: true,
  least: 15,
  item: (one, { home }) =>
    html`<div class="row">${label(one.name, one.color, `${home}/-/issues?label_name=${encodeURIComponent(one.name)}`)}<span>${one.description}</span><span class="muted">${count(one.open_issues_count ?? 0, 'open issue')}</span></div>`,
  add: {
    title: 'New label',
    button: 'Create label',
    fields: [{ name: 'name', label: 'Name', required: true }, ...texts],
    start: { color: '#1f75cb' },
  },
  edit: {
    fields: [{ name: 'name', label: 'Name', required: true }, ...texts],
    method: 'PUT',
    path: (id) => `/labels/${encodeURIComponent(id)}`,
    prepare: ({ name, ...sent }) => ({ ...sent, new_name: name }),
  },
  buttons: {
    subscribe: {
      text: 'Subscribe',
      method: 'POST',
      path: (id) => `/labels/${encodeURIComponent(id)}/subscribe`,
      when: ({ subscribed }) => subscribed !== true,
    },
    unsubscribe: {
      text: 'Unsubscribe',
      method: 'POST',
      path: (id) => `/labels/${encodeURIComponent(id)}/unsubscribe`,
      when: ({ subscribed }) => subscribed === true,
    },
    remove: { text: 'Delete', method: 'DELETE', path: (id) => `/labels/${encodeURIComponent(id)}` },
  },
};

export const labelPages = (section: Section, prefix: string): Page[] => collectionPages(section, prefix, labels);
