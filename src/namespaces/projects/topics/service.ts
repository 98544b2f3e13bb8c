import type { Services } from '../../../access/services.ts';
import { changeAvatar, discardAvatar } from '../../../people/avatars/public.ts';
import type { Reader, Writer } from '../../../platform/database/database.ts';
import { uniqueViolation } from '../../../platform/database/errors.ts';
import { BadRequest, Invalid, NotFound } from '../../../platform/http/errors.ts';
import { Page, type PageRequest } from '../../../platform/http/pagination.ts';
import { tooLong } from '../../../platform/http/too-long.ts';
import type { UploadedFile } from '../../../platform/http/upload.ts';
import type { TopicRow } from '../tables.ts';
import * as store from './store.ts';

export interface TopicChange {
  readonly name?: string | undefined;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly avatar?: UploadedFile | '' | null | undefined;
}

/** A topic as it is shown. */
export function presentTopic({ externalUrl }: Services, topic: TopicRow): object {
  return {
    id: topic.id,
    name: topic.name,
    title: topic.title,
    description: topic.description,
    total_projects_count: topic.total_projects_count,
    organization_id: 1,
    avatar_url:
      topic.avatar === null
        ? null
        : `${externalUrl}/uploads/-/system/projects/topic/avatar/${topic.id}/${topic.avatar.split('/').at(-1)}`,
  };
}

export async function listTopics(
  services: Services,
  options: { search?: string | undefined; without_projects?: boolean | undefined },
  slice: PageRequest,
): Promise<Page<object>> {
  const { rows, total } = await store.listTopics(services.db.read, options, slice);
  return new Page(rows, total).map((row) => presentTopic(services, row));
}

export async function getTopic(db: Reader, id: number): Promise<TopicRow> {
  const topic = await store.findTopic(db, id);
  if (!topic) throw NotFound.record();
  return topic;
}

function checkTopic({ name, title, description }: TopicChange): void {
  const problems: Record<string, string[]> = {};
  for (const [attribute, text] of Object.entries({ name, title })) {
    if (text === undefined) continue;
    const problem = text.trim() === '' ? "can't be blank" : tooLong(text, 255);
    if (problem !== undefined) problems[attribute] = [problem];
  }
  if (name !== undefined && /[\r\n]/.test(name)) problems.name = ['has characters that are not allowed'];
  const long = tooLong(description ?? '', 1024);
  if (long !== undefined) problems.description = [long];
  if (Object.keys(problems).length > 0) throw new Invalid(problems);
}

function taken(error: unknown): never {
  throw uniqueViolation(error) ? new Invalid({ name: ['has already been taken'] }) : error;
}

export async function createTopic(services: Services, wanted: TopicChange & { name: string; title: string }) {
  checkTopic(wanted);
  const now = Date.now();
  return changeAvatar(services, wanted.avatar, null, (avatar) =>
    services.db
      .write((trx) =>
        trx
          .insertInto('topics')
          .values({
            name: wanted.name.trim(),
            title: wanted.title,
            description: wanted.description ?? null,
            avatar: avatar.avatar ?? null,
            created_at: now,
            updated_at: now,
          })
          .returningAll()
          .executeTakeFirstOrThrow(),
      )
      .catch(taken),
  );
}

export async function updateTopic(services: Services, id: number, wanted: TopicChange): Promise<TopicRow> {
  checkTopic(wanted);
  const { db } = services;
  const topic = await getTopic(db.read, id);
  const name = wanted.name?.trim();
  return changeAvatar(services, wanted.avatar, topic.avatar, (avatar) =>
    db
      .write(async (trx) => {
        const row = await trx
          .updateTable('topics')
          .set({
            ...avatar,
            ...(name === undefined ? {} : { name }),
            ...(wanted.title === undefined ? {} : { title: wanted.title }),
            ...(wanted.description === undefined ? {} : { description: wanted.description }),
            updated_at: Date.now(),
          })
          .where('id', '=', id)
          .returningAll()
          .executeTakeFirstOrThrow();
        if (name !== undefined && name !== topic.name) await renameInProjects(trx, id);
        return row;
      })
      .catch(taken),
  );
}

/** Projects carry the names of their topics: writes them anew in every project of a topic. */
async function renameInProjects(trx: Writer, topicId: number): Promise<void> {
  for (let after = 0; ; ) {
    const batch = await store.projectsOfTopic(trx, topicId, after);
    const last = batch.at(-1);
    if (last === undefined) return;
    await store.writeTopicNames(trx, batch);
    after = last;
  }
}

export async function deleteTopic(services: Services, id: number): Promise<void> {
  const avatar = await services.db.write(async (trx) => {
    const topic = await lockTopic(trx, id);
    for (let after = 0; ; ) {
      const batch = await store.projectsOfTopic(trx, id, after);
      const last = batch.at(-1);
      if (last === undefined) break;
      await trx.deleteFrom('project_topics').where('topic_id', '=', id).where('project_id', 'in', batch).execute();
      await store.writeTopicNames(trx, batch);
      after = last;
    }
    await trx.deleteFrom('topics').where('id', '=', id).execute();
    return topic.avatar;
  });
  await discardAvatar(services, avatar);
}

async function lockTopic(trx: Writer, id: number): Promise<TopicRow> {
  const [topic] = await store.lockTopics(trx, [id], 'remove');
  if (!topic) throw NotFound.record();
  return topic;
}

/** Gives the projects of one topic another instead, and ends the first. */
export async function mergeTopics(services: Services, from: number, to: number): Promise<TopicRow> {
  const { db } = services;
  const [source] = await Promise.all([getTopic(db.read, from), getTopic(db.read, to)]);
  if (from === to) throw BadRequest.plain('The source topic and the target topic are identical.');
  const merged = await db.write(async (trx) => {
    if ((await store.lockTopics(trx, [from, to], 'remove')).length < 2) throw NotFound.record();
    await store.moveTopic(trx, from, to);
    await trx.deleteFrom('topics').where('id', '=', from).execute();
    await renameInProjects(trx, to);
    await store.recount(trx, [to]);
    return getTopic(trx, to);
  });
  await discardAvatar(services, source.avatar);
  return merged;
}
