import type { Field } from '../forms/fields.ts';
import { roles } from '../namespaces/roles.ts';

/** Access level and expiry date of a membership. */
export const membership: readonly Field[] = [
  { name: 'access_level', label: 'Role', kind: 'rank', options: roles },
  { name: 'expires_at', label: 'Until', kind: 'date', hint: 'Empty: does not expire' },
];
