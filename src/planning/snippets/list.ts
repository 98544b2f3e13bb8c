import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { Role, Visibility } from '../../access/roles.ts';
import { memberProjectIds, type Viewer } from '../../access/visibility/visible.ts';
import { type BoundFilterOf, form } from '../../platform/database/form.ts';
import { SearchIndex } from '../../platform/database/search-index.ts';
import { param } from '../../platform/http/params.ts';
import { compare } from '../../platform/list-kit/filters.ts';
import { list } from '../../platform/list-kit/list.ts';
import { byId } from '../../platform/list-kit/order.ts';
import { searching } from '../../platform/list-kit/searching.ts';

type Condition = RawBuilder<SqlBool>;

/** Which snippets, and who asks. */
export interface SnippetScope extends Viewer {
  readonly kind: 'own' | 'public' | 'all' | 'project';
  readonly project?: number | undefined;
  /** In a project: whether the caller sees the private ones of others. */
  readonly member: boolean;
}

const scope = form<SnippetScope>()({ values: ['project', 'user', 'now'] });
type Scope = BoundFilterOf<typeof scope>;

const never: Condition = sql`1 = 0`;
const always: Condition = sql`1 = 1`;

function own({ user }: Scope): Condition {
  return user === undefined ? never : sql`snippets.author_id = ${user}`;
}

/** The snippets of others that the caller reads by their visibility alone. */
function open({ sees }: Scope): Condition {
  return sees === 'all' ? always : sql`snippets.visibility >= ${sql.lit(Visibility[sees])}`;
}

/** Levels of this feature are kept among the settings, where only what differs from the default is written. */
const level = (word: string): Condition => sql`p.settings like ${sql.lit(`%"snippets_access_level":"${word}"%`)}`;

/** Those of projects in which the caller may read snippets at all. */
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

const { search } = searching({
  index: new SearchIndex({ table: 'snippets', columns: ['title', 'description'], inPieces: true }),
  columns: { title: 'snippets.title' },
  byWords: true,
});

/** The lists of snippets: one's own, the public ones, all that one may read, and those of a project. */
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
