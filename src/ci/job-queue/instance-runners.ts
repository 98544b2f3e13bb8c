import type { Services } from '../../access/services.ts';
import { settingsOf } from '../../access/subjects.ts';
import type { Namespace, Project } from '../../access/tables.ts';
import { changeSettings, instanceRunnersIn, lockProject, updateProject } from '../../namespaces/projects/public.ts';
import type { Writer } from '../../platform/database/database.ts';
import { projectsBelow, setRunnerKinds } from './store.ts';

declare module '../../platform/queue/job.ts' {
  interface JobPayloads {
    /** A group disabled instance runners for the projects below it. */
    'ci.instance-runners-off': { groupId: number };
  }
}

/** When a group disables instance runners, its projects are updated in the background. */
export async function followGroup(
  { queue }: Services,
  trx: Writer,
  { before, group }: { readonly before: Namespace; readonly group: Namespace },
): Promise<void> {
  const [previous, current] = [settingsOf(before).shared_runners_setting, settingsOf(group).shared_runners_setting];
  if (previous === current || current === undefined || current === 'enabled') return;
  await queue.enqueue(trx, 'ci.instance-runners-off', { groupId: group.id }, { dedupeKey: `${group.id}` });
}

/** Disables instance runners of a project moved into a group that does not allow them. */
export async function followTransfer(
  _services: Services,
  trx: Writer,
  { project }: { readonly project: Project },
): Promise<void> {
  if (!(await instanceRunnersIn(trx, project.namespace_id)).allowed) await disableInstanceRunners(trx, project);
}

async function disableInstanceRunners(trx: Writer, project: Project): Promise<void> {
  if (settingsOf(project).shared_runners_enabled === false) return;
  const changed = await updateProject(trx, project.id, changeSettings(project, { shared_runners_enabled: false }));
  const group_runners = settingsOf(changed).group_runners_enabled === false ? 0 : 1;
  await setRunnerKinds(trx, project.id, { instance_runners: 0, group_runners });
}

export function instanceRunnerJobs({ db, queue }: Services): void {
  queue.defineJob('ci.instance-runners-off', async ({ payload: { groupId }, signal }) => {
    for (let afterId = 0; !signal.aborted; ) {
      // The group may have enabled them again in the meantime.
      if ((await instanceRunnersIn(db.read, groupId)).usual) return;
      const ids = await projectsBelow(db.read, groupId, afterId);
      for (const id of ids) await db.write(async (trx) => disableInstanceRunners(trx, await lockProject(trx, id)));
      const last = ids.at(-1);
      if (last === undefined) return;
      afterId = last;
    }
  });
}
