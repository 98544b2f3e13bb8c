import { canReadEverything, isAdmin, type SignedInActor } from '../../access/actor.ts';
import type { Services } from '../../access/services.ts';
import { type GroupSubject, groupSubject, lookUpNamespace, type ProjectSubject } from '../../access/subjects.ts';
import { findProjects, subjectsOf } from '../../namespaces/projects/public.ts';
import { Forbidden, NotFound } from '../../platform/http/errors.ts';
import { findRunner, maintainsDescendant, projectIdsOf } from './store.ts';
import type { RunnerRow } from './tables.ts';

/** A runner with its group or projects and the permissions of one caller. */
export interface RunnerSubject {
  readonly runner: RunnerRow;
  /** Set for group runners. */
  readonly group?: GroupSubject | undefined;
  /** Set for project runners; the owner project comes first. */
  readonly projects: readonly ProjectSubject[];
  readonly may: { readonly read: boolean; readonly update: boolean; readonly delete: boolean; readonly jobs: boolean };
}

/** Permissions of a caller on a runner, by runner type. */
function rightsOf(
  caller: SignedInActor,
  {
    runner,
    group,
    projects,
    maintainsProjectBelow,
  }: Pick<RunnerSubject, 'runner' | 'group' | 'projects'> & { maintainsProjectBelow: boolean },
): RunnerSubject['may'] {
  const admin = isAdmin(caller);
  const auditor = canReadEverything(caller);
  switch (runner.runner_type) {
    case 'instance_type':
      return { read: true, update: admin, delete: admin, jobs: auditor };
    case 'group_type': {
      const reads = group?.can('read_runner') === true;
      const owns = group?.can('admin_runner') === true;
      return {
        read: reads || maintainsProjectBelow || auditor,
        update: owns || admin,
        delete: owns || admin,
        jobs: reads || auditor,
      };
    }
    case 'project_type': {
      const reads = projects.some((project) => project.can('read_runner'));
      const maintained = projects.some((project) => project.can('admin_runner'));
      return {
        read: reads || auditor,
        update: maintained || admin,
        delete: admin || (maintained && projects.length <= 1),
        jobs: reads || auditor,
      };
    }
  }
}

export async function runnerSubject(
  { db }: Services,
  caller: SignedInActor,
  runner: RunnerRow,
): Promise<RunnerSubject> {
  const { read } = db;
  const found = runner.namespace_id === null ? undefined : await lookUpNamespace(read, String(runner.namespace_id));
  const group = found && (await groupSubject(read, caller, found));
  const ids = runner.runner_type === 'project_type' ? await projectIdsOf(read, runner.id) : [];
  const rows = new Map((await findProjects(read, ids)).map((project) => [project.id, project]));
  const projects = await subjectsOf(
    read,
    caller,
    ids.flatMap((id) => rows.get(id) ?? []),
  );
  // A group runner runs jobs of projects below its group, so Maintainers of those projects may read it.
  const checkDescendants = group !== undefined && !group.can('read_runner');
  const maintainsProjectBelow = checkDescendants && (await maintainsDescendant(read, caller.user.id, group.group.id));
  return { runner, group, projects, may: rightsOf(caller, { runner, group, projects, maintainsProjectBelow }) };
}

/** Loads a runner the caller can read. */
export async function readableRunner(services: Services, caller: SignedInActor, id: number): Promise<RunnerSubject> {
  const runner = await findRunner(services.db.read, id);
  if (!runner) throw NotFound.record();
  const subject = await runnerSubject(services, caller, runner);
  if (!subject.may.read) throw new Forbidden('No access granted');
  return subject;
}
