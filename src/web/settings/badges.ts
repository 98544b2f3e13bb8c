import type { Collection } from '../forms/collection.ts';
import type { Field } from '../forms/fields.ts';
import { badge } from '../frame/format.ts';
import { html, outside } from '../frame/html.ts';

const fields: readonly Field[] = [
  { name: 'name', label: 'Name' },
  {
    name: 'link_url',
    label: 'Where it leads',
    required: true,
    placeholder: 'https://example.com/%{project_path}',
    hint: '%{project_path}, %{project_name}, %{default_branch} and the like stand for those of each project',
  },
  { name: 'image_url', label: 'Picture', required: true, placeholder: 'https://example.com/%{project_path}/badge.svg' },
];

const one = (id: string) => `/badges/${encodeURIComponent(id)}`;

/** Badges of a project or group; group badges are shown on all its projects. */
export const badges = (kind: 'project' | 'group'): Collection => ({
  path: '/-/settings/badges',
  title: 'Badges',
  intro: 'Small pictures that tell how a project does. What a group has, its projects have too.',
  empty: 'No badge.',
  list: '/badges',
  least: 40,
  item: (shown) =>
    html`<a href="${outside(shown.rendered_link_url)}"><img src="${outside(shown.rendered_image_url)}" alt="${shown.name ?? 'badge'}" height="20"></a> <strong>${shown.name}</strong> ${shown.kind !== kind && badge('pending', 'of a group')}<p class="muted">${shown.link_url}</p>`,
  add: { title: 'New badge', button: 'Add badge', fields },
  edit: { fields, method: 'PUT', path: one, when: (shown) => shown.kind === kind },
  buttons: { remove: { text: 'Delete', method: 'DELETE', path: one, when: (shown) => shown.kind === kind } },
});
