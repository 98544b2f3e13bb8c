import type { Actor } from '../../../access/actor.ts';
import { actorOnBehalfOf } from '../../../access/actor.ts';
import { findUser } from '../../../access/credentials/identify.ts';
import type { Services } from '../../../access/services.ts';
import type { ProjectSubject } from '../../../access/subjects.ts';
import { lookUpProject, projectSubject } from '../../../access/subjects.ts';
import { lockRow } from '../../../platform/database/locks.ts';
import { BadRequest, NotFound, ParameterError } from '../../../platform/http/errors.ts';
import { userRegexProblem } from '../../../platform/user-regex.ts';
import { durationSeconds } from '../../config/public.ts';
import { protectionGuard } from '../protection/guard.ts';
import type { BulkParams } from '../repositories/schema.ts';
import { requireRepository } from '../repositories/service.ts';
import { repositoryById, updateRepository } from '../repositories/store.ts';
import { removeTags, type TagFilter } from './tags.ts';

declare module '../../../platform/queue/job.ts' {
  interface JobPayloads {
    'registry.delete-tags': { readonly repositoryId: number; readonly userId: number; readonly filter: TagFilter };
  }
}

const hour = 60 * 60 * 1000;
const already =
  'This request has already been made. You can run this at most once an hour for a given container repository';

function checkRegex(name: string, text: string | undefined): void {
  const problem = text === undefined ? undefined : userRegexProblem(text);
  if (problem !== undefined) throw new ParameterError(`${name} is an invalid regexp: ${problem}`);
}

function filterOf(params: BulkParams): TagFilter {
  const remove = params.name_regex_delete ?? params.name_regex;
  if (remove === undefined || remove === '')
    throw new ParameterError('name_regex_delete, name_regex are missing, exactly one parameter must be provided');
  checkRegex('name_regex_delete', remove);
  checkRegex('name_regex_keep', params.name_regex_keep);
  if (params.keep_n !== undefined && params.keep_n < 0) throw new ParameterError('keep_n does not have a valid value');
  const age = params.older_than === undefined ? undefined : durationSeconds(params.older_than);
  if (age === null) throw new ParameterError('older_than is invalid');
  return {
    remove,
    ...(params.name_regex_keep ? { keep: params.name_regex_keep } : {}),
    ...(params.keep_n === undefined ? {} : { keepN: params.keep_n }),
    ...(age === undefined ? {} : { olderThan: age }),
  };
}

/** Schedules a bulk deletion of tags, at most once an hour per repository. */
export async function deleteTagsInBulk(
  services: Services,
  caller: Actor,
  subject: ProjectSubject,
  params: BulkParams,
): Promise<void> {
  const filter = filterOf(params);
  const { id } = await requireRepository(services, subject, params.repository_id);
  const now = Date.now();
  await services.db.write(async (trx) => {
    const row = await lockRow(trx, 'registry_repositories', id);
    if (!row) throw new NotFound();
    if (row.tags_deleted_at !== null && row.tags_deleted_at > now - hour) throw BadRequest.plain(already);
    await updateRepository(trx, id, { tags_deleted_at: now });
    const job = { repositoryId: id, userId: caller.user?.id ?? 0, filter };
    await services.queue.enqueue(trx, 'registry.delete-tags', job, { dedupeKey: `${id}` });
  });
}

export function bulkJobs(services: Services): void {
  const { db, queue } = services;
  queue.defineJob('registry.delete-tags', async ({ payload: { repositoryId, userId, filter }, signal }) => {
    const row = await repositoryById(db.read, repositoryId);
    const user = await findUser(db.read, userId);
    const found = row && (await lookUpProject(db.read, `${row.project_id}`));
    if (!row || !user || !found) return;
    const actor = actorOnBehalfOf(user);
    const subject = await projectSubject(db.read, actor, found.project);
    // The user may have lost the role since the request.
    if (!subject.can('admin_container_image')) return;
    await removeTags(services, row.id, filter, await protectionGuard(services, actor, subject), signal);
  });
}
