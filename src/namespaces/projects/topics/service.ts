import type { Services } from '../../../access/services.ts';
import { changeAvatar, discardPicture } from '../../../people/avatars/public.ts';
import type { Reader, Writer } from '../../../platform/database/database.ts';
import { uniqueViolation } from '../../../platform/database/errors.ts';
import { BadRequest, Invalid, NotFound } from '../../../platform/http/errors.ts';
import { Page, type PageRequest } from '../../../platform/http/pages/pagination.ts';
import { lengthProblem } from '../../../platform/http/parameters/too-long.ts';
import * as list from './list.ts';
import type { NewTopicParams, TopicChange, TopicEntity, TopicListParams } from './schema.ts';
import * as store from './store.ts';
import type { TopicRow } from './tables.ts';

/** Serializes a topic. */
function presentTopic({ externalUrl }: Services, topic: TopicRow): TopicEntity {
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
  params: TopicListParams,
  slice: PageRequest,
): Promise<Page<TopicEntity>> {
  const { rows, total } = await list.listTopics(services.db.read, params, slice);
  return new Page(rows, total).map((row) => presentTopic(services, row));
}

export async function getTopic(services: Services, id: number): Promise<TopicEntity> {
  return presentTopic(services, await requireTopic(services.db.read, id));
}

async function requireTopic(db: Reader, id: number): Promise<TopicRow> {
  const topic = await store.findTopic(db, id);
  if (!topic) throw NotFound.record();
  return topic;
}

function checkTopic({ name, title, description }: Partial<TopicChange>): void {
  const problems: Record<string, string[]> = {};
  for (const [attribute, text] of Object.entries({ name, title })) {
    if (text === undefined) continue;
    const problem = text.trim() === '' ? "can't be blank" : lengthProblem(text, 255);
    if (problem !== undefined) problems[attribute] = [problem];
  }
  if (name !== undefined && /[\r\n]/.test(name)) problems.name = ['has characters that are not allowed'];
  const long = lengthProblem(description ?? '', 1024);
  if (long !== undefined) problems.description = [long];
  if (Object.keys(problems).length > 0) throw new Invalid(problems);
}

function taken(error: unknown): never {
  throw uniqueViolation(error) ? new Invalid({ name: ['has already been taken'] }) : error;
}

export async function createTopic(services: Services, params: NewTopicParams): Promise<TopicEntity> {
  checkTopic(params);
  const now = Date.now();
  const row = {
    name: params.name.trim(),
    title: params.title,
    description: params.description ?? null,
    created_at: now,
    updated_at: now,
  };
  const topic = await changeAvatar(services, params.avatar, null, (trx, { avatar = null }) =>
    store.insertTopic(trx, { ...row, avatar }),
  ).catch(taken);
  return presentTopic(services, topic);
}

export async function updateTopic(services: Services, id: number, params: TopicChange): Promise<TopicEntity> {
  checkTopic(params);
  const { db } = services;
  const topic = await requireTopic(db.read, id);
  const name = params.name?.trim();
  const change = {
    ...(name === undefined ? {} : { name }),
    ...(params.title === undefined ? {} : { title: params.title }),
    ...(params.description === undefined ? {} : { description: params.description }),
    updated_at: Date.now(),
  };
  const changed = await changeAvatar(services, params.avatar, topic.avatar, async (trx, avatar) => {
    const row = await store.updateTopic(trx, id, { ...avatar, ...change });
    if (name !== undefined && name !== topic.name) await renameInProjects(trx, id);
    return row;
  }).catch(taken);
  return presentTopic(services, changed);
}

/** Projects store the names of their topics: updates the names in all projects of a topic. */
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
  await services.db.write(async (trx) => {
    const topic = await lockTopic(trx, id);
    for (let after = 0; ; ) {
      const batch = await store.projectsOfTopic(trx, id, after);
      const last = batch.at(-1);
      if (last === undefined) break;
      await store.removeFromProjects(trx, id, batch);
      await store.writeTopicNames(trx, batch);
      after = last;
    }
    await store.deleteTopic(trx, id);
    await discardPicture(services, trx, topic.avatar);
  });
}

async function lockTopic(trx: Writer, id: number): Promise<TopicRow> {
  const [topic] = await store.lockTopics(trx, [id], 'remove');
  if (!topic) throw NotFound.record();
  return topic;
}

/** Moves the projects of one topic to another and deletes the first. */
export async function mergeTopics(services: Services, from: number, to: number): Promise<TopicEntity> {
  const { db } = services;
  const [source] = await Promise.all([requireTopic(db.read, from), requireTopic(db.read, to)]);
  if (from === to) throw BadRequest.plain('The source topic and the target topic are identical.');
  const merged = await db.write(async (trx) => {
    if ((await store.lockTopics(trx, [from, to], 'remove')).length < 2) throw NotFound.record();
    await store.moveTopic(trx, from, to);
    await store.deleteTopic(trx, from);
    await discardPicture(services, trx, source.avatar);
    await renameInProjects(trx, to);
    await store.recount(trx, [to]);
    return requireTopic(trx, to);
  });
  return presentTopic(services, merged);
}
