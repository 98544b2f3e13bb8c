import { type Expression, type RawBuilder, type SqlBool, sql } from 'kysely';
import { namespaceSearch, projectSearch } from '../../../access/search.ts';
import type { Bound } from '../../../platform/database/bound.ts';
import { contains, sameIgnoringCase } from '../../../platform/database/expressions.ts';
import { searchFor } from '../../../platform/database/search-index.ts';
import { param } from '../../../platform/http/params.ts';
import { type BoundMeaning, type Filter, termNarrower } from '../../../platform/list-kit/filter.ts';
import { searchTerms } from './search-terms.ts';

type Text = Bound<string>;

/**
 * Decodes the bound values of a search: either a whole text or words that must all match, followed by the index terms.
 */
function readBound({ word = '', values }: BoundMeaning) {
  const [kind = '', where = ''] = word.split(' ');
  const texts = values as readonly unknown[] as readonly Text[];
  const words = kind === 'whole' ? [] : texts.slice(0, Number(kind));
  const [match, ...terms] = texts.slice(words.length);
  return { whole: kind === 'whole' ? texts[0] : undefined, words, match, terms, inNamespaces: where === 'namespaces' };
}

function matches(given: BoundMeaning): Expression<SqlBool> {
  const { whole, words, inNamespaces } = readBound(given);
  const inColumn = (column: Expression<string | null>): RawBuilder<SqlBool> | Expression<SqlBool> =>
    whole
      ? sameIgnoringCase(column, whole)
      : sql<SqlBool>`(${sql.join(
          words.map((word) => contains(column, word)),
          sql` and `,
        )})`;
  const columns = ['projects.name', 'projects.path', 'projects.description'];
  const found = columns.map((column) => inColumn(sql.ref<string | null>(column)));
  if (inNamespaces) {
    const text = sql<string>`(n.full_path || '/' || projects.path || ' ' || n.full_name)`;
    found.push(sql<SqlBool>`exists (
      select 1 from namespaces n where n.id = projects.namespace_id and ${inColumn(text)})`);
  }
  return sql<SqlBool>`(${sql.join(found, sql` or `)})`;
}

/**
 * Searches the name, path and description of projects and, with `search_namespaces`, their namespaces. Uses the search
 * index unless a word may span namespace and project path.
 */
export const search: Filter<ReturnType<typeof param.string>, unknown, false> = {
  param: param.string(),
  negatable: false,
  read: (sent: string, { search_namespaces }) => {
    const terms = searchTerms(sent);
    if (!terms) return undefined;
    const where = search_namespaces === true ? 'namespaces' : 'projects';
    if ('whole' in terms) return { word: `whole ${where}`, values: [terms.whole], repeated: true };
    const { contained } = terms;
    const alone = contained.length === 1 && !/[/ ]/.test(contained[0] ?? '');
    const { terms: looked = [], match } = searchFor(...contained);
    const word = `${contained.length} ${where}`;
    if (match === undefined || (where === 'namespaces' && !alone)) return { word, values: contained, many: true };
    return { word, values: [...contained, match, ...looked], repeated: where === 'namespaces' };
  },
  condition: matches,
  drive: {
    index: projectSearch,
    // A whole text is not looked up in the index.
    narrowed: termNarrower(projectSearch, ({ word = '' }) => Number.parseInt(word, 10)),
    ids: (given, _, engine) => {
      const { whole, match, terms, inNamespaces } = readBound(given);
      if (whole) {
        return sql`
          select id from projects where lower(name) = lower(${whole})
          union all select id from projects where lower(path) = lower(${whole})
          union all select id from projects where substr(lower(description), 1, 100) = substr(lower(${whole}), 1, 100)`;
      }
      const own = projectSearch.candidates({ match, terms }, engine);
      if (!inNamespaces) return own;
      const around = namespaceSearch.candidates({ match, terms }, engine);
      return sql`select id from (${own}) as own
        union all select p.id from (${around}) as n join projects p on p.namespace_id = n.id`;
    },
  },
};
