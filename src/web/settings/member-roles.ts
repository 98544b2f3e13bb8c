import { customPermissions, type PermissionDefinition, permissionNames } from '../../access/custom-permissions.ts';
import type { Collection } from '../forms/collection.ts';
import type { Field } from '../forms/fields.ts';
import type { Entity } from '../frame/api.ts';
import { html } from '../frame/html.ts';
import { roleName, roles } from '../namespaces/roles.ts';

/** Only permissions that have an effect are offered. */
const offered = permissionNames.filter((name) => {
  const { withoutFeature }: PermissionDefinition = customPermissions[name];
  return withoutFeature === undefined;
});

const fields: readonly Field[] = [
  { name: 'name', label: 'Name', required: true },
  { name: 'description', label: 'Description' },
  { name: 'base_access_level', label: 'Base role', kind: 'rank', options: roles },
  {
    name: 'permissions',
    label: 'Permissions',
    kind: 'checks',
    options: offered.map(
      (name) => [name, `${customPermissions[name].title}: ${customPermissions[name].description}`] as const,
    ),
  },
];

const permissionsOf = (role: Entity) =>
  permissionNames
    .filter((name) => role[name] === true)
    .map((name) => customPermissions[name].title)
    .join(', ');

/** Custom roles, of a top-level group or of the instance. */
export const memberRoles = (path: string): Collection => ({
  path,
  title: 'Custom roles',
  intro: 'A custom role adds permissions to a default role. It can be deleted once nobody has it.',
  empty: 'No custom roles.',
  list: '/member_roles',
  least: 50,
  item: (role) =>
    html`<strong>${role.name}</strong> <span class="muted">${roleName(role.base_access_level)} · ${permissionsOf(role)}</span>${role.description && html`<p class="muted">${role.description}</p>`}`,
  add: {
    title: 'New role',
    button: 'Create role',
    fields,
    start: { base_access_level: '10' },
    prepare({ permissions, ...sent }) {
      const chosen = Array.isArray(permissions) ? permissions.map(String) : [];
      return { ...sent, ...Object.fromEntries(chosen.map((name) => [name, true])) };
    },
  },
  buttons: {
    remove: { text: 'Delete', method: 'DELETE', path: (id) => `/member_roles/${encodeURIComponent(id)}` },
  },
});
