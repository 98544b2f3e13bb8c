import type { SignedInActor } from '../../../access/actor.ts';
import type { Services } from '../../../access/services.ts';
import { lookUpProject, type ProjectSubject, projectSubject, settingsOf } from '../../../access/subjects.ts';
import { networkOf } from '../changes/create.ts';
import { tipOf } from '../versions/collect.ts';
import type { RequestOptions } from './read.ts';

/** A push option cannot be executed; the message is shown to the user who pushed. */
export class OptionRefused extends Error {
  override readonly name = 'OptionRefused';
}

export const denied = () => new OptionRefused('User access was denied');

/** The target project of a push: the given one, or the project that it was forked from. */
export async function requestedTarget(
  services: Services,
  caller: SignedInActor,
  source: ProjectSubject,
  asked: Pick<RequestOptions, 'target' | 'targetProject'>,
): Promise<ProjectSubject> {
  const target =
    asked.targetProject === undefined
      ? ((await forkedFrom(services, caller, source)) ?? source)
      : await reached(services, caller, source, asked.targetProject);
  if (!target) throw denied();
  if (networkOf(source.project) !== networkOf(target.project)) {
    throw new OptionRefused(`Projects ${source.fullPath} and ${target.fullPath} are not in the same network`);
  }
  if (target.project.merge_requests_access === 0) {
    throw new OptionRefused(`Merge requests are not enabled for project ${target.fullPath}`);
  }
  if (!target.can('create_merge_request_in')) throw denied();
  if (asked.target !== undefined && (await tipOf(services, target.project.id, asked.target)) === null) {
    throw new OptionRefused(`Target branch ${target.fullPath}:${asked.target} does not exist`);
  }
  return target;
}

async function reached(
  { db }: Services,
  caller: SignedInActor,
  source: ProjectSubject,
  id: string,
): Promise<ProjectSubject | undefined> {
  const found = await lookUpProject(db.read, id);
  if (found?.project.id === source.project.id) return source;
  const subject = found && (await projectSubject(db.read, caller, found.project));
  return subject?.can('read_project') ? subject : undefined;
}

/** The upstream project of a fork, if it accepts merge requests and the fork does not target itself by default. */
async function forkedFrom(
  services: Services,
  caller: SignedInActor,
  source: ProjectSubject,
): Promise<ProjectSubject | undefined> {
  const { forked_from_id: from } = source.project;
  if (from === null || settingsOf(source.project).mr_default_target_self === true) return undefined;
  const parent = await reached(services, caller, source, `${from}`);
  return parent?.can('create_merge_request_in') ? parent : undefined;
}
