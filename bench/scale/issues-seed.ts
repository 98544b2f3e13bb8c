import { sql } from 'kysely';
import { blankAccount } from '../../src/people/users/public.ts';
import { type Database, openDatabase, type Writer } from '../../src/platform/database/database.ts';
import { fillBare, type Where } from './bare-tables.ts';

/** What a place contains before its issues are seeded; IDs are consecutive. */
export interface Place {
  readonly project: number;
  readonly firstLabel: number;
  readonly firstMilestone: number;
  readonly firstUser: number;
  readonly firstIteration: number;
  readonly firstEpic: number;
}

export const counts = { labels: 100, milestones: 40, users: 50, iterations: 4, epics: 20, notesOfAnIssue: 5 } as const;

/**
 * Labels with uneven distribution, besides those that one or two in a hundred issues have: an order by ID finds their
 * issues late, often or everywhere.
 */
export const unevenLabels = [
  { name: 'oldest', has: ({ issues }: Range) => sql`iid <= ${Math.ceil(issues / 250)} and iid % 32 <> 0` },
  { name: 'scattered', has: () => sql`iid % 250 = 7` },
  { name: 'half', has: () => sql`iid % 2 = 1` },
] as const;

const partOfIssues = 100_000;
const day = 86_400_000;

interface Range extends Place {
  readonly issues: number;
  readonly from: number;
  readonly to: number;
  readonly now: number;
}

const numbers = ({ from, to }: Range) =>
  sql`with recursive n (i) as (select cast(${from} as bigint) union all select i + 1 from n where i < ${to})`;

/** A deterministic pseudo-random number below `most`, independent of the issue's other attributes. */
const any = (column: string, most: number, salt: number) =>
  sql`((${sql.ref(column)} * cast(${sql.lit(2_654_435_761 + salt * 209_458)} as bigint)) % cast(4294967296 as bigint) / 4096 % ${sql.lit(most)})`;

/** Returns the date a number of days from today in the database's format. */
const dayFrom = (db: Database, days: ReturnType<typeof sql>) =>
  db.engine === 'sqlite'
    ? sql`date('now', (${days}) || ' days')`
    : sql`to_char(current_date + cast(${days} as integer), 'YYYY-MM-DD')`;

async function insertIssues(db: Database, trx: Writer, range: Range): Promise<void> {
  const { project, firstMilestone, firstUser, firstIteration, firstEpic, now } = range;
  const due = dayFrom(db, sql`${any('i', 730, 1)} - 365`);
  const milestoneDue = dayFrom(db, sql`${any('i', counts.milestones, 2)} * 7 - 70`);
  await sql`${numbers(range)}
    insert into issues (iid, project_id, title, description, state, issue_type, confidential, author_id, closed_by_id,
      closed_at, milestone_id, milestone_due_date, label_priority, due_date, weight, health_status, iteration_id,
      epic_id, relative_position, user_notes_count, upvotes, labelled, assigned, created_at, updated_at)
    select i, ${project}, 'The ' || ((i * 7919) % 104729) || 'th thing of ' || i || ' is not as it was',
      'What happens: number' || i || ' fails in room ' || (i % 1009) || '. What should: it works.',
      case when i % 5 < 2 then 'closed' else 'opened' end,
      case when i % 50 = 0 then 'incident' when i % 31 = 0 then 'task' else 'issue' end,
      case when i % 40 = 0 then 1 else 0 end, ${firstUser} + ${any('i', counts.users, 3)},
      case when i % 5 < 2 then ${firstUser} + i % 7 else null end,
      case when i % 5 < 2 then ${now} - i else null end,
      case when i % 3 = 0 then ${firstMilestone} + ${any('i', counts.milestones, 2)} else null end,
      case when i % 3 = 0 then ${milestoneDue} else null end,
      case when i % 4 = 0 then ${any('i', 10, 6)} else null end,
      case when i % 3 < 2 then ${due} else null end,
      case when i % 2 = 0 then ${any('i', 9, 7)} else null end,
      case when i % 7 = 0 then 'on_track' when i % 11 = 0 then 'at_risk' else null end,
      case when i % 6 = 0 then ${firstIteration} + ${any('i', counts.iterations, 4)} else null end,
      case when i % 8 = 0 then ${firstEpic} + ${any('i', counts.epics, 5)} else null end,
      case when i % 10 = 0 then null else (i * 7919) % 1000003 end,
      ${sql.lit(counts.notesOfAnIssue)}, ${any('i', 200, 8)},
      case when i % 32 = 0 then 0 else 1 end, case when i % 3 = 0 then 0 else 1 end,
      ${now} - (i * cast(790703 as bigint)) % (700 * cast(${day} as bigint)),
      ${now} - (i * cast(40013329 as bigint)) % (300 * cast(${day} as bigint))
    from n`.execute(trx);
}

const ofRange = ({ project, from, to }: Range) => sql`project_id = ${project} and iid between ${from} and ${to}`;

/** Inserts labels, assignees, reactions and notes for a range of issues. */
async function insertAround(trx: Writer, range: Range): Promise<void> {
  const { project, firstLabel, firstUser, now } = range;
  for (const step of [1, 7, 31]) {
    await sql`insert into issue_labels (issue_id, label_id, project_id, confidential, state)
      select id, ${firstLabel} + ${any('iid', counts.labels, 10 + step)}, project_id, confidential, state from issues
      where ${ofRange(range)} and iid % ${step + 1} <> 0 on conflict do nothing`.execute(trx);
  }
  for (const [index, { has }] of unevenLabels.entries()) {
    await sql`insert into issue_labels (issue_id, label_id, project_id, confidential, state)
      select id, ${firstLabel + counts.labels + index}, project_id, confidential, state from issues
      where ${ofRange(range)} and ${has(range)}`.execute(trx);
  }
  await sql`insert into issue_assignees (issue_id, user_id, project_id, confidential, state)
    select id, ${firstUser} + ${any('iid', counts.users, 9)}, project_id, confidential, state from issues
    where ${ofRange(range)} and iid % 3 <> 0`.execute(trx);
  await sql`insert into award_emoji (name, user_id, awardable_type, awardable_id, project_id, created_at, updated_at)
    select 'thumbsup', ${firstUser}, 'Issue', id, ${project}, ${now}, ${now} from issues
    where ${ofRange(range)} and iid % 50 = 0`.execute(trx);
  await sql`with recursive k (n) as (select 1 union all select n + 1 from k
      where n < ${sql.lit(counts.notesOfAnIssue)})
    insert into notes (noteable_type, noteable_id, project_id, discussion_id, author_id, body, system, created_at,
      updated_at)
    select 'Issue', id, ${project}, 'd' || id || '-' || n, ${firstUser} + n, 'Seen in place ' || (id * n % 9973), 0,
      cast(${now} as bigint) - n, cast(${now} as bigint) - n
    from issues cross join k where ${ofRange(range)}`.execute(trx);
}

/** Creates users who write issues; returns the ID of the first. */
export async function seedPeople(where: Where): Promise<number> {
  const db = await openDatabase(where);
  const people = Array.from({ length: counts.users }, (_, n) => {
    const name = `writer${n}`;
    const times = { created_at: 1, updated_at: 1 };
    return { ...blankAccount, ...times, username: name, name, email: `${name}@example.com` };
  });
  const ids = await db.write((trx) => trx.insertInto('users').values(people).returning('id').execute());
  await db.close();
  return Math.min(...ids.map(({ id }) => id));
}

const filled = ['issues', 'issue_labels', 'issue_assignees', 'award_emoji', 'notes'] as const;

/** Inserts the derived rows that triggers otherwise maintain for issues and notes. */
async function insertDerived(trx: Writer, engine: Database['engine'], project: number): Promise<void> {
  await sql`insert into derived_counts (counted, owner, total)
    select 'issues.' || state || '.' || confidential, project_id, count(*) from issues where project_id = ${project}
    group by state, confidential, project_id`.execute(trx);
  // No issue has more labels than are paired.
  await sql`insert into derived_label_pairs (label_a, label_b, project_id, confidential, state, issue_id)
    select a.label_id, b.label_id, a.project_id, a.confidential, a.state, a.issue_id
    from issue_labels a join issue_labels b on b.issue_id = a.issue_id and b.label_id > a.label_id
    where a.project_id = ${project} order by 1, 2, 3, 4, 5, 6`.execute(trx);
  if (engine !== 'sqlite') return;
  await sql`insert into issues_search (rowid, title, description)
    select id, title, description from issues where project_id = ${project} order by id`.execute(trx);
  await sql`insert into notes_search (rowid, body) select id, body from notes where project_id = ${project}
    order by id`.execute(trx);
}

/** Seeds issues of a place, with five notes each. */
export function seedIssues(where: Where, place: Place, issues: number): Promise<void> {
  const now = Date.now();
  return fillBare(where, filled, async (db) => {
    for (let from = 1; from <= issues; from += partOfIssues) {
      const range = { ...place, issues, from, to: Math.min(from + partOfIssues - 1, issues), now };
      await db.write(async (trx) => {
        await insertIssues(db, trx, range);
        await insertAround(trx, range);
      });
    }
    await db.write((trx) => insertDerived(trx, db.engine, place.project));
  });
}
