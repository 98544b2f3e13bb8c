import type { Collection } from '../forms/collection.ts';
import type { Field } from '../forms/fields.ts';
import { badge } from '../frame/format.ts';
import { html, safeUrl } from '../frame/html.ts';

const fields: readonly Field[] = [
  { name: 'name', label: 'Name' },
  {
    name: 'link_url',
    label: 'Link',
    required: true,
    placeholder: 'https://example.com/%{project_path}',
    hint: 'Placeholders such as %{project_path}, %{project_name} and %{default_branch} are replaced per project',
  },
  { name: 'image_url', label: 'Picture', required: true, placeholder: 'https://example.com/%{project_path}/badge.svg' },
];

const one = (id: string) => `/badges/${encodeURIComponent(id)}`;

/** Badges of a project or group; group badges are shown on all its projects. */
export const badges = (kind: 'project' | 'group'): Collection => ({
  path: '/-/settings/badges',
  title: 'Badges',
  intro: 'Badges show the state of a project. Group badges are shown on all its projects.',
  empty: 'No badges.',
  list: '/badges',
  least: 40,
  item: (shown) =>
    html`<a href="${safeUrl(shown.rendered_link_url)}"><img src="${safeUrl(shown.rendered_image_url)}" alt="${shown.name ?? 'badge'}" height="20"></a> <strong>${shown.name}</strong> ${shown.kind !== kind && badge('pending', 'of a group')}<p class="muted">${shown.link_url}</p>`,
  add: { title: 'New badge', button: 'Add badge', fields },
  edit: { fields, method: 'PUT', path: one, when: (shown) => shown.kind === kind },
  buttons: { remove: { text: 'Delete', method: 'DELETE', path: one, when: (shown) => shown.kind === kind } },
});
