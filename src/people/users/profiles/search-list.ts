import { type Expression, type RawBuilder, sql } from 'kysely';
import { userSearch } from '../../../access/search.ts';
import type { Bound } from '../../../platform/database/bound.ts';
import type { Reader } from '../../../platform/database/database.ts';
import { contains, sameIgnoringCase } from '../../../platform/database/expressions.ts';
import { boundProperties } from '../../../platform/database/form.ts';
import {
  maxLookedUpRows,
  type SearchCriteria,
  searchFor,
  searchValues,
} from '../../../platform/database/search-index.ts';
import { lacksSearchIndexes } from '../../../platform/database/search-indexes.ts';
import { rawQuery, shapedQuery } from '../../../platform/database/shaped.ts';
import { param } from '../../../platform/http/params.ts';
import {
  type BoundMeaning,
  type Condition,
  type Filter,
  type Meaning,
  termNarrower,
} from '../../../platform/list-kit/filter.ts';
import { joinConditions } from '../../../platform/list-kit/filters.ts';
import { wordsOf } from '../../../platform/list-kit/searching.ts';

/** Viewer-dependent part of a user search. */
interface Viewer {
  /** Administrators and auditors can search private e-mail addresses. */
  readonly privileged: boolean;
}

const name = sql.ref<string>('users.name');
const username = sql.ref<string>('users.username');
const publicEmail = sql.ref<string | null>('users.public_email');

/** Removes the `@` of a mention. */
const searchTerm = (search: string) => search.trim().replace(/^@/, '');

/** Terms shorter than three characters must match names exactly. */
const matching = (term: string) => ([...term].length < 3 ? 'whole' : 'part');

/**
 * Encodes how names are compared, the number of words, and whether the term may be an e-mail address. The values are
 * the term, its words, and the search for them.
 */
function readSearch(search: string): Meaning | undefined {
  const term = searchTerm(search);
  if (term === '') return undefined;
  const whole = matching(term) === 'whole';
  const words = whole ? [term] : wordsOf(term);
  const { terms = [], match } = searchFor(...words);
  const word = `${matching(term)} ${words.length}${term.includes('@') ? ' address' : ''}`;
  if (match !== undefined) return { word, values: [term, ...words, match, ...terms] };
  return { word, values: [term, ...words], ...(!whole && { many: true }) };
}

const countOfWords = ({ word = '' }: { readonly word?: string | undefined }) => Number(word.split(' ')[1]);

/**
 * Matches if each word of the term is part of a name, or a short term is the whole name, or if an e-mail address
 * visible to the viewer equals the term.
 */
function found(meaning: BoundMeaning, { privileged }: Viewer): Condition {
  const { word = '', values = [] } = meaning;
  const [term, ...others] = values as Bound<string>[] as [Bound<string>, ...Bound<string>[]];
  const compared = word.startsWith('whole') ? sameIgnoringCase : contains;
  const words = others.slice(0, countOfWords(meaning));
  const inNames = words.map((each) => joinConditions([compared(name, each), compared(username, each)], 'or'));
  const ways: Condition[] = [joinConditions(inNames, 'and')];
  if (word.endsWith('address')) ways.push(sameIgnoringCase(publicEmail, term));
  if (word.endsWith('address') && privileged) {
    ways.push(
      sameIgnoringCase(sql.ref('users.email'), term),
      sql`users.id in (
        select e.user_id from emails e where lower(e.email) = lower(${term}) and e.confirmed_at is not null)`,
    );
  }
  return sql`(${sql.join(ways, sql` or `)})`;
}

/** Queries for users whose name, username or e-mail address equals the term. */
function exactly(term: Expression<string>, addresses: boolean, privileged: boolean): RawBuilder<{ id: number }>[] {
  const ways = [
    sql<{ id: number }>`select id from users where lower(username) = lower(${term})`,
    sql<{ id: number }>`select id from users where lower(name) = lower(${term})`,
  ];
  if (!addresses) return ways;
  ways.push(sql`select id from users where public_email is not null and lower(public_email) = lower(${term})`);
  if (!privileged) return ways;
  return [
    ...ways,
    sql`select id from users where lower(email) = lower(${term})`,
    sql`select user_id as id from emails where lower(email) = lower(${term}) and confirmed_at is not null`,
  ];
}

const union = (ways: readonly RawBuilder<{ id: number }>[]) => sql<{ id: number }>`${sql.join(ways, sql` union `)}`;

type TextParam = ReturnType<typeof param.string>;

/** Filters by the term without looking up matching ids first. */
export const term: Filter<TextParam, Viewer, false> = {
  param: param.string(),
  negatable: false,
  read: readSearch,
  condition: found,
};

export const search: Filter<TextParam, Viewer, false> = {
  ...term,
  drive: {
    index: userSearch,
    narrowed: termNarrower(userSearch, (meaning) => 1 + countOfWords(meaning)),
    ids: (meaning, { privileged }, engine) => {
      const { word = '' } = meaning;
      const [sent, ...others] = meaning.values as Bound<string>[] as [Bound<string>, ...Bound<string>[]];
      const exact = exactly(sent, word.endsWith('address'), privileged);
      if (word.startsWith('whole')) return union(exact);
      const [match, ...terms] = others.slice(countOfWords(meaning));
      const part = userSearch.candidates({ match, terms, anyColumn: true }, engine);
      return word.endsWith('address') ? union([...exact, part]) : part;
    },
  },
};

interface Sought extends SearchCriteria {
  readonly term: string;
  readonly addresses: boolean;
  readonly privileged: boolean;
}

const sought = boundProperties<Sought>()({ values: ['term', ...searchValues] });

const limited = (ways: RawBuilder<{ id: number }>) =>
  sql<{ id: number }>`select id from (${ways}) as found limit ${sql.lit(maxLookedUpRows + 1)}`;

const named = shapedQuery(sought, (db, { term: text, addresses, privileged }) =>
  rawQuery(db, limited(union(exactly(text, addresses, privileged)))),
);
const holding = shapedQuery(sought, (db, { term: text, addresses, privileged, ...asked }, engine) => {
  const part = userSearch.candidates({ ...asked, anyColumn: true }, engine);
  return rawQuery(db, limited(addresses ? union([...exactly(text, addresses, privileged), part]) : part));
});

const soughtBy = (text: string, { privileged }: Viewer): Sought => {
  const needle = searchTerm(text);
  return { term: needle, addresses: needle.includes('@'), privileged, ...searchFor(...wordsOf(needle)) };
};

/** Returns the ids of users whose name, username or e-mail address equals the term. */
export async function usersNamed(db: Reader, text: string, viewer: Viewer): Promise<number[]> {
  return (await named.all(db, soughtBy(text, viewer))).slice(0, maxLookedUpRows).map(({ id }) => id);
}

/** Returns the ids of all users matching a term; undefined if there are too many or the term cannot be looked up. */
export async function findFew(db: Reader, text: string, viewer: Viewer): Promise<number[] | undefined> {
  const needle = soughtBy(text, viewer);
  const whole = matching(needle.term) === 'whole';
  if (lacksSearchIndexes(db) || (!whole && needle.terms === undefined)) return undefined;
  const { terms, match } = needle;
  const looked = terms && match !== undefined ? await userSearch.narrowed(db, { terms, match }) : undefined;
  const rows = await (whole ? named : holding).all(db, { ...needle, ...looked });
  return rows.length > maxLookedUpRows ? undefined : rows.map(({ id }) => id);
}

/** Ranks matches: by public e-mail address, by username, by name. */
export function rankOf(text: Expression<unknown> | undefined): RawBuilder<number> {
  return sql<number>`case
    when lower(users.public_email) = lower(${text}) then 0
    when lower(users.username) = lower(${text}) then 1
    when lower(users.name) = lower(${text}) then 2
    else 3 end`;
}
