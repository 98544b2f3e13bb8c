import { sql } from 'kysely';
import type { Bound } from '../database/bound.ts';
import { contains } from '../database/expressions.ts';
import { matchOfOneTerm, type SearchIndex, searchFor } from '../database/search-index.ts';
import { param } from '../http/params.ts';
import { type Column, type Condition, evaluatedPerRow, type Filter } from './filter.ts';
import { declare, distinct, joinConditions } from './filters.ts';

interface Searching<C extends string> {
  /** The search index over the columns, if there is one. */
  readonly index?: SearchIndex;
  readonly columns: Readonly<Record<C, Column>>;
  /** Each word must occur somewhere; quoted words must occur together as a phrase. */
  readonly byWords?: true;
}

/** A search with more words than this is searched as one phrase. */
const maxWords = 12;

/**
 * Decodes a search meaning. `word` is the number of words, then the columns and, if the index is queried for fewer
 * terms, the positions of the words that are only compared.
 */
function readSearch<T>({
  word = '',
  values = [],
}: {
  readonly word?: string | undefined;
  readonly values?: readonly T[];
}) {
  const [count = '', columns = '', compared = ''] = word.split(' ');
  const words = values.slice(0, Number(count));
  const [match, piece, ...terms] = values.slice(words.length);
  const only = compared === '' ? [] : compared.split(',').map((index) => words[Number(index)] as T);
  return { columns: columns.split(','), words, match, piece, terms, compared: only };
}

/** The words and quoted phrases of a search, longest first because these are the most selective. */
export function wordsOf(text: string): string[] {
  const found = [...text.matchAll(/"([^"]+)"|(\S+)/g)].map(([, phrase, word]) => (phrase ?? word ?? '').trim());
  const words = distinct(found.filter((word) => word !== ''));
  const usable = words.length > 0 && words.length <= maxWords;
  return usable ? words.sort((a, b) => b.length - a.length) : [text];
}

/**
 * The parameters `search`, a text that one of the columns must contain, and `in`, which selects the columns:
 * `...searching({ index, columns: { title: 'issues.title', description: 'issues.description' } })`.
 */
export function searchFilters<const C extends string>({ index, columns, byWords }: Searching<C>) {
  const names = Object.keys(columns) as C[];
  const where = param.oneOrMoreOf(names);
  const filter = declare<ReturnType<typeof param.string>, unknown>(
    param.string(),
    (sent, { in: chosen }) => {
      if (sent === '') return undefined;
      const words = byWords ? wordsOf(sent) : [sent];
      const { terms = [], match } = searchFor(...words);
      const searched =
        Array.isArray(chosen) && chosen.length > 0 ? names.filter((name) => chosen.includes(name)) : names;
      // Words too short for the index do not drive the list.
      const word = `${words.length} ${searched.join()}`;
      if (match === undefined) return { word, values: words, many: true };
      return { word, values: [...words, match, matchOfOneTerm({ match, terms }), ...terms] };
    },
    (bound) => {
      const { columns: searched, words, terms, compared } = readSearch(bound as { values: readonly Bound<string>[] });
      const holds = (text: Bound<string>): Condition =>
        joinConditions(
          (searched as C[]).map((name) => contains(sql.ref<string>(columns[name]), text)),
          'or',
        );
      if (compared.length === 0) return joinConditions(words.map(holds), 'and');
      // A plain condition on these words would query the index for the terms that were left out.
      return joinConditions([...terms.map(holds), evaluatedPerRow(joinConditions(compared.map(holds), 'and'))], 'and');
    },
  );
  const drive: Filter['drive'] = index && {
    index,
    narrowed: async (db, meaning) => {
      const { words, match, terms } = readSearch(meaning as { values: readonly string[] });
      if (match === undefined) return meaning;
      const narrowed = await index.narrowed(db, { match, terms });
      const values = [...words, narrowed.match, matchOfOneTerm({ ...narrowed, terms }), ...narrowed.terms];
      if (terms.every((term) => narrowed.terms.includes(term))) return { ...meaning, values };
      const compared = words.flatMap((word, index) => (narrowed.terms.includes(word) ? [] : [index]));
      return { ...meaning, word: `${meaning.word} ${compared.join()}`, values };
    },
    ids: (bound, _, engine) => {
      const { match, piece, terms } = readSearch(bound as { values: readonly Bound<string>[] });
      return index.candidates({ match, piece, terms, anyColumn: true }, engine);
    },
  };
  return {
    search: { ...filter, drive },
    /** Selects the columns that `search` uses; has no effect by itself. */
    in: declare<typeof where, unknown>(
      where,
      () => undefined,
      () => sql`1 = 1`,
    ),
  };
}
