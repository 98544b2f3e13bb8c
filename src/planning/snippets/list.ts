import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { Role, Visibility } from '../../access/roles.ts';
import { memberProjectIds, type Viewer } from '../../access/visibility/visible.ts';
import { type BoundFilterOf, boundProperties } from '../../platform/database/form.ts';
import { SearchIndex } from '../../platform/database/search-index.ts';
import { param } from '../../platform/http/params.ts';
import { compare } from '../../platform/list-kit/filters.ts';
import { list } from '../../platform/list-kit/list.ts';
import { byId } from '../../platform/list-kit/order.ts';
import { searchFilters } from '../../platform/list-kit/searching.ts';

type Condition = RawBuilder<SqlBool>;

/** The requested snippets and the caller. */
export interface SnippetScope extends Viewer {
  readonly kind: 'own' | 'public' | 'all' | 'project';
  readonly project?: number | undefined;
  /** Within a project: whether the caller may see private snippets of others. */
  readonly member: boolean;
}

const scope = boundProperties<SnippetScope>()({ values: ['project', 'user', 'now'] });
type Scope = BoundFilterOf<typeof scope>;

const never: Condition = sql`1 = 0`;
const always: Condition = sql`1 = 1`;

function own({ user }: Scope): Condition {
  return user === undefined ? never : sql`snippets.author_id = ${user}`;
}

/** Condition that a snippet is visible to the caller regardless of membership. */
function open({ sees }: Scope): Condition {
  return sees === 'all' ? always : sql`snippets.visibility >= ${sql.lit(Visibility[sees])}`;
}

/** Access levels of this feature are stored in the settings, which contain only non-default values. */
const level = (word: string): Condition => sql`p.settings like ${sql.lit(`%"snippets_access_level":"${word}"%`)}`;

/** Condition that the snippet belongs to a project whose snippets the caller may read. */
function inReadableProject({ sees, user, now }: Scope): Condition {
  const member: Condition = user === undefined ? never : sql`p.id in (${memberProjectIds(user, Role.guest, now)})`;
  if (sees === 'all') return sql`exists (select 1 from projects p where p.id = snippets.project_id)`;
  return sql`exists (select 1 from projects p where p.id = snippets.project_id and not ${level('disabled')} and (${member}
    or (p.visibility >= ${sql.lit(Visibility[sees])} and not ${level('private')}
      and (snippets.visibility >= ${sql.lit(Visibility[sees])} or snippets.author_id = ${user ?? sql`0`}))))`;
}

function seen(ask: Scope): Condition {
  switch (ask.kind) {
    case 'own':
      return own(ask);
    case 'public':
      return sql`snippets.project_id is null and snippets.visibility = 20`;
    case 'project':
      return ask.member
        ? sql`snippets.project_id = ${ask.project}`
        : sql`snippets.project_id = ${ask.project} and (${open(ask)} or ${own(ask)})`;
    case 'all':
      return sql`((snippets.project_id is null and (${open(ask)} or ${own(ask)}))
        or (snippets.project_id is not null and ${inReadableProject(ask)}))`;
  }
}

const { search } = searchFilters({
  index: new SearchIndex({ table: 'snippets', columns: ['title', 'description'], inPieces: true }),
  columns: { title: 'snippets.title' },
  byWords: true,
});

/** Snippet lists: the caller's own, public ones, all readable ones, and those of a project. */
export const snippetList = list({
  id: 'snippets.id',
  scope,
  filters: {
    created_after: compare('snippets.created_at', '>=', param.dateTime()),
    created_before: compare('snippets.created_at', '<=', param.dateTime()),
    search,
  },
  orders: { id: byId },
  select: (db, ask) => db.selectFrom('snippets').selectAll('snippets').where(seen(ask)),
});
