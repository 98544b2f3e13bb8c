import { withTask, tasksOf as writtenTasks } from '../../planning/task-list.ts';
import { type Entity, Refusal } from '../frame/api.ts';
import type { Outcome } from '../frame/visit.ts';
import type { ProjectContext } from '../namespaces/project.ts';
import { roleInProject } from '../namespaces/roles.ts';

type Kind = 'issues' | 'merge_requests';

/** Minimum access level for editing the descriptions of other users. */
const least: Readonly<Record<Kind, number>> = { issues: 15, merge_requests: 30 };

/** Returns the URL for ticking checkboxes, if the user may edit the description. */
export function tasksOf({ visit, project, home }: ProjectContext, kind: Kind, item: Entity): string | undefined {
  const may = visit.user && (item.author?.id === visit.user.id || roleInProject(visit, project) >= least[kind]);
  return may ? `${home}/-/${kind}/${item.iid}/tasks` : undefined;
}

/** Ticks a checkbox of the description, unless the text has changed since the page was rendered. */
export const tickTask =
  (kind: Kind) =>
  async ({ visit, api }: ProjectContext): Promise<Outcome> => {
    const { form, params } = visit;
    const url = `${api}/${kind}/${params.iid}`;
    const { description } = await visit.api.get(url);
    const text: string = description ?? '';
    const isKnown = writtenTasks(text).length === Number(form.get('boxes'));
    const changed = isKnown ? withTask(text, Number(form.get('box')), form.get('done') === 'true') : undefined;
    if (changed === undefined) throw new Refusal(409, 'The text has changed. Reload the page.');
    await visit.api.send('PUT', url, { description: changed });
    return { content: '', type: 'text/plain' };
  };
