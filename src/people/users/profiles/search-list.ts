import { type Expression, type RawBuilder, sql } from 'kysely';
import { userSearch } from '../../../access/search.ts';
import type { Reader } from '../../../platform/database/database.ts';
import { form } from '../../../platform/database/form.ts';
import type { Slice } from '../../../platform/database/paging.ts';
import { fewRows, type Searching, searchLists, searchValues } from '../../../platform/database/search-index.ts';
import { isMissing } from '../../../platform/database/search-indexes.ts';
import { type ShapedList, shaped, written } from '../../../platform/database/shaped.ts';
import type { UserQuestion } from './list.ts';

interface Sought extends Searching {
  readonly term: string;
  readonly byAddress: boolean;
}

const sought = form<Sought>()({ values: ['term', ...searchValues], lists: searchLists });

function addressed(term: Expression<string>, byAddress: boolean): RawBuilder<unknown>[] {
  const open = sql`select id from users where public_email is not null and lower(public_email) = lower(${term})`;
  if (!byAddress) return [open];
  return [
    open,
    sql`select id from users where lower(email) = lower(${term})`,
    sql`select user_id as id from emails where lower(email) = lower(${term}) and confirmed_at is not null`,
  ];
}

const limited = (ways: readonly RawBuilder<unknown>[]) =>
  sql<{ id: number }>`select id from (${sql.join(ways, sql` union all `)}) as found limit ${sql.lit(fewRows + 1)}`;

/** Who may hold the term somewhere, or has it as an address. */
const byPart = shaped(sought, (db, ask, engine) =>
  written(db, limited([...addressed(ask.term, ask.byAddress), userSearch.candidates(ask, engine)])),
);

/** Whose name, user name or address the term is. */
const byWhole = shaped(sought, (db, { term, byAddress }) =>
  written(
    db,
    limited([
      ...addressed(term, byAddress),
      sql`select id from users where lower(username) = lower(${term})`,
      sql`select id from users where lower(name) = lower(${term})`,
    ]),
  ),
);

const unique = (found: readonly { id: number }[]) => [...new Set(found.map(({ id }) => id))];

/** The question, with all users who can answer a search, if they are few. */
export async function startUsers(db: Reader, question: UserQuestion): Promise<UserQuestion> {
  const { term, matching, byAddress, terms, match } = question;
  if (term === undefined || matching === undefined || isMissing(db)) return question;
  if (matching === 'part' && terms === undefined) return question;
  const found = await (matching === 'part' ? byPart : byWhole).all(db, { term, byAddress, terms, match });
  return found.length > fewRows ? question : { ...question, among: unique(found) };
}

/** A page of the users who are searched for. */
export async function pageOfUsers<R>(
  db: Reader,
  list: ShapedList<UserQuestion, R>,
  question: UserQuestion,
  slice: Slice,
): Promise<{ rows: R[]; total: number }> {
  const started = await startUsers(db, question);
  const { term, matching, by } = started;
  if (started.among || term === undefined || matching !== 'part') return list.page(db, started, slice);
  // An address is not among the texts of the index, and need not be: few are found by one.
  const counting = { ...started, driven: !term.includes('@') && !isMissing(db) };
  return by === 'relevance' ? byRelevance(db, list, started, counting, slice) : list.page(db, started, slice, counting);
}

/** Of many, those who have the very name first; the others along the index of names, which has no such order. */
async function byRelevance<R>(
  db: Reader,
  list: ShapedList<UserQuestion, R>,
  question: UserQuestion,
  counting: UserQuestion,
  { offset, perPage }: Slice,
): Promise<{ rows: R[]; total: number }> {
  const { term = '', byAddress } = question;
  const exact = unique(await byWhole.all(db, { term, byAddress })).slice(0, fewRows);
  const best = await list.page(db, { ...question, among: exact }, { offset, perPage });
  const named = { ...question, by: 'name', sort: 'asc', except: exact } as const;
  const rest = { offset: Math.max(0, offset - best.total), perPage: perPage - best.rows.length };
  const others = rest.perPage === 0 ? [] : await list.rows(db, named, rest);
  return { rows: [...best.rows, ...others], total: await list.count(db, counting) };
}
