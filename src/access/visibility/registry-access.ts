import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { Role, Visibility } from '../roles.ts';
import { memberProjectIds, type NumberOrParameter, type Viewer } from './visible.ts';

type Condition = RawBuilder<SqlBool>;

/**
 * SQL condition for whether a viewer can read the packages or images of a project `p`: Reporters can, and everyone who
 * can see the project unless the setting restricts it to members.
 */
export function mayReadRegistry(
  setting: 'package_registry_access_level' | 'container_registry_access_level',
  { sees, user, now }: Viewer<NumberOrParameter>,
): Condition {
  const isSetTo = (word: string): Condition => sql`p.settings like ${sql.lit(`%"${setting}":"${word}"%`)}`;
  const on: Condition = sql`not ${isSetTo('disabled')}`;
  if (sees === 'all') return on;
  const open: Condition = sql`(p.visibility >= ${sql.lit(Visibility[sees])} and not ${isSetTo('private')})`;
  if (user === undefined) return sql`${on} and ${open}`;
  return sql`${on} and (${open} or p.id in (${memberProjectIds(user, Role.reporter, now)}))`;
}
