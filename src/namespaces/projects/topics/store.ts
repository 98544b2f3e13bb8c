import { type Insertable, sql, type Updateable } from 'kysely';
import type { Reader, Writer } from '../../../platform/database/database.ts';
import { sameIgnoringCase } from '../../../platform/database/expressions.ts';
import { lockRows, type RowLockStrength } from '../../../platform/database/locks.ts';
import { storedStrings } from '../../../platform/stored-json.ts';
import type { TopicRow, TopicsTable } from './tables.ts';

export function findTopic(db: Reader, id: number): Promise<TopicRow | undefined> {
  return db.selectFrom('topics').selectAll().where('id', '=', id).executeTakeFirst();
}

export async function insertTopic(trx: Writer, row: Insertable<TopicsTable>): Promise<TopicRow> {
  return trx.insertInto('topics').values(row).returningAll().executeTakeFirstOrThrow();
}

export async function updateTopic(trx: Writer, id: number, change: Updateable<TopicsTable>): Promise<TopicRow> {
  return trx.updateTable('topics').set(change).where('id', '=', id).returningAll().executeTakeFirstOrThrow();
}

export async function deleteTopic(trx: Writer, id: number): Promise<void> {
  await trx.deleteFrom('topics').where('id', '=', id).execute();
}

export interface NamedTopic {
  readonly id: number;
  readonly name: string;
}

/** Returns the topics with these names in their order, creating missing ones. */
export async function findOrCreateTopics(trx: Writer, names: readonly string[]): Promise<NamedTopic[]> {
  if (names.length === 0) return [];
  const now = Date.now();
  // Sorted, so that two transactions inserting the same topics cannot deadlock.
  const rows = [...names].sort().map((name) => ({
    name,
    title: name,
    description: null,
    avatar: null,
    created_at: now,
    updated_at: now,
  }));
  await trx
    .insertInto('topics')
    .values(rows)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  const ids = await trx
    .selectFrom('topics')
    .select('id')
    .where((eb) => eb.or(names.map((name) => sameIgnoringCase(eb.ref('name'), name))))
    .execute();
  // A topic missing now was deleted after it was inserted.
  const found = await lockTopics(
    trx,
    ids.map(({ id }) => id),
  );
  const places = new Map(names.map((name, place) => [name.toLowerCase(), place]));
  const placeOf = ({ name }: NamedTopic) => places.get(name.toLowerCase()) ?? names.length;
  return found.sort((a, b) => placeOf(a) - placeOf(b));
}

/** Sets the topics of a project to exactly these. */
export async function setTopics(trx: Writer, projectId: number, topics: readonly NamedTopic[]): Promise<void> {
  const before = await topicIdsOf(trx, projectId);
  const newIds = topics.map(({ id }) => id);
  const removed = before.filter((id) => !newIds.includes(id));
  const added = newIds.filter((id) => !before.includes(id));
  if (removed.length > 0) {
    await trx
      .deleteFrom('project_topics')
      .where('project_id', '=', projectId)
      .where('topic_id', 'in', removed)
      .execute();
  }
  if (added.length > 0) {
    const rows = added.map((topic_id) => ({ project_id: projectId, topic_id }));
    await trx.insertInto('project_topics').values(rows).execute();
  }
  await recount(trx, [...removed, ...added]);
}

/** Returns the ids of a project's topics. */
export async function topicIdsOf(db: Reader, projectId: number): Promise<number[]> {
  const rows = await db.selectFrom('project_topics').select('topic_id').where('project_id', '=', projectId).execute();
  return rows.map((row) => row.topic_id);
}

/** Locks topics and the set of their projects until the transaction ends. */
export function lockTopics(trx: Writer, ids: readonly number[], purpose?: RowLockStrength): Promise<TopicRow[]> {
  return lockRows(trx, 'topics', ids, purpose);
}

/** Recounts the projects of these topics. */
export async function recount(trx: Writer, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return;
  // Counts after locking: a statement that waits for a lock would count with the snapshot from before.
  await lockTopics(trx, ids);
  await trx
    .updateTable('topics')
    .set({
      total_projects_count: sql<number>`(select count(*) from project_topics pt where pt.topic_id = topics.id)`,
    })
    .where('id', 'in', [...ids])
    .execute();
}

/** Removes a topic from these projects. */
export async function removeFromProjects(trx: Writer, topicId: number, projectIds: readonly number[]): Promise<void> {
  await trx
    .deleteFrom('project_topics')
    .where('topic_id', '=', topicId)
    .where('project_id', 'in', projectIds)
    .execute();
}

const batchSize = 500;

/** Returns the next batch of project ids of a topic. */
export async function projectsOfTopic(db: Reader, topicId: number, after: number): Promise<number[]> {
  const rows = await db
    .selectFrom('project_topics')
    .select('project_id')
    .where('topic_id', '=', topicId)
    .where('project_id', '>', after)
    .orderBy('project_id')
    .limit(batchSize)
    .execute();
  return rows.map((row) => row.project_id);
}

/** Updates the topic names stored in these projects; a renamed topic keeps its place. */
export async function writeTopicNames(trx: Writer, projectIds: readonly number[]): Promise<void> {
  const projects = await lockRows(trx, 'projects', projectIds);
  const rows = await trx
    .selectFrom('project_topics as pt')
    .innerJoin('topics as t', 't.id', 'pt.topic_id')
    .select(['pt.project_id', 't.name'])
    .where('pt.project_id', 'in', [...projectIds])
    .orderBy('t.name')
    .execute();
  const names = Map.groupBy(rows, (row) => row.project_id);
  for (const project of projects) {
    const current = (names.get(project.id) ?? []).map(({ name }) => name);
    const stored = storedStrings(project.topics);
    const fresh = current.filter((name) => !stored.includes(name));
    const kept = stored.flatMap((name) => (current.includes(name) ? name : (fresh.shift() ?? [])));
    const topics = JSON.stringify([...kept, ...fresh]);
    await trx.updateTable('projects').set({ topics }).where('id', '=', project.id).execute();
  }
}

/** Moves the projects of one topic to another. */
export async function moveTopic(trx: Writer, from: number, to: number): Promise<void> {
  await sql`
    insert into project_topics (project_id, topic_id)
    select pt.project_id, ${sql.lit(to)} from project_topics pt where pt.topic_id = ${from}
      and not exists (select 1 from project_topics q where q.project_id = pt.project_id and q.topic_id = ${to})
  `.execute(trx);
  await trx.deleteFrom('project_topics').where('topic_id', '=', from).execute();
}
