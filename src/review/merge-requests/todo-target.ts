import { findProjects, subjectsOf } from '../../namespaces/projects/public.ts';
import type { ShownTarget, TargetPresenter } from '../../planning/todos/public.ts';
import { presentRequests } from './present.ts';
import { requestsById } from './store.ts';

/** Presents merge requests as to-do targets, limited to those the reader may still read. */
export const requestTodoTarget: TargetPresenter = {
  type: 'MergeRequest',
  async present(services, reader, ids) {
    const { read } = services.db;
    const requests = [...(await requestsById(read, ids)).values()];
    const projectIds = [...new Set(requests.map(({ project_id }) => project_id))];
    const subjects = await subjectsOf(read, reader, await findProjects(read, projectIds));
    const readable = new Set(
      subjects
        .filter((subject) => subject.can('read_project') && subject.can('read_merge_request'))
        .map(({ project }) => project.id),
    );
    const shown = requests.filter(({ project_id }) => readable.has(project_id));
    const entities = await presentRequests(services, reader, shown, { within: null });
    return new Map(
      entities.map((entity): [number, ShownTarget] => [
        entity.id,
        { entity, url: entity.web_url, title: entity.title },
      ]),
    );
  },
};
