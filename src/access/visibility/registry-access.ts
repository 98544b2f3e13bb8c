import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { Role, Visibility } from '../roles.ts';
import { memberProjectIds, type Value, type Viewer } from './visible.ts';

type Condition = RawBuilder<SqlBool>;

/**
 * Whether somebody reads what a project `p` keeps of packages or images: Reporters do, and everybody where the project is
 * open to them and the setting does not keep it to members.
 */
export function mayReadRegistry(
  setting: 'package_registry_access_level' | 'container_registry_access_level',
  { sees, user, now }: Viewer<Value>,
): Condition {
  const said = (word: string): Condition => sql`p.settings like ${sql.lit(`%"${setting}":"${word}"%`)}`;
  const on: Condition = sql`not ${said('disabled')}`;
  if (sees === 'all') return on;
  const open: Condition = sql`(p.visibility >= ${sql.lit(Visibility[sees])} and not ${said('private')})`;
  if (user === undefined) return sql`${on} and ${open}`;
  return sql`${on} and (${open} or p.id in (${memberProjectIds(user, Role.reporter, now)}))`;
}
