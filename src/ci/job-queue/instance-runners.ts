import type { Services } from '../../access/services.ts';
import { settingsOf } from '../../access/subjects.ts';
import type { Namespace, Project } from '../../access/tables.ts';
import { changeSettings, instanceRunnersIn, lockProject, updateProject } from '../../namespaces/projects/public.ts';
import type { Writer } from '../../platform/database/database.ts';
import { projectsBelow, setRunnerKinds } from './store.ts';

declare module '../../platform/queue/job.ts' {
  interface JobPayloads {
    /** A group has switched the runners of the instance off for the projects below it. */
    'ci.instance-runners-off': { groupId: number };
  }
}

/** A group may want no runners of the instance any more: the projects below it are switched over in the background. */
export async function followGroup(
  { queue }: Services,
  trx: Writer,
  { before, group }: { readonly before: Namespace; readonly group: Namespace },
): Promise<void> {
  const [old, now] = [settingsOf(before).shared_runners_setting, settingsOf(group).shared_runners_setting];
  if (old === now || now === undefined || now === 'enabled') return;
  await queue.enqueue(trx, 'ci.instance-runners-off', { groupId: group.id }, { dedupeKey: `${group.id}` });
}

/** A project has come to a group that allows none. */
export async function followMove(
  _services: Services,
  trx: Writer,
  { project }: { readonly project: Project },
): Promise<void> {
  if (!(await instanceRunnersIn(trx, project.namespace_id)).allowed) await switchOff(trx, project);
}

async function switchOff(trx: Writer, project: Project): Promise<void> {
  if (settingsOf(project).shared_runners_enabled === false) return;
  const changed = await updateProject(trx, project.id, changeSettings(project, { shared_runners_enabled: false }));
  const group_runners = settingsOf(changed).group_runners_enabled === false ? 0 : 1;
  await setRunnerKinds(trx, project.id, { instance_runners: 0, group_runners });
}

export function instanceRunnerJobs({ db, queue }: Services): void {
  queue.defineJob('ci.instance-runners-off', async ({ payload: { groupId }, signal }) => {
    for (let beyond = 0; !signal.aborted; ) {
      // They may have been allowed again while this was under way.
      if ((await instanceRunnersIn(db.read, groupId)).usual) return;
      const ids = await projectsBelow(db.read, groupId, beyond);
      for (const id of ids) await db.write(async (trx) => switchOff(trx, await lockProject(trx, id)));
      const last = ids.at(-1);
      if (last === undefined) return;
      beyond = last;
    }
  });
}
