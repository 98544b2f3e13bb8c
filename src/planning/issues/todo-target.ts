import { findProjects, subjectsOf } from '../../namespaces/projects/public.ts';
import type { ShownTarget, TargetPresenter } from '../todos/public.ts';
import { mayRead } from './access.ts';
import { presentIssues } from './present.ts';
import { assigneeIds, issuesById } from './store.ts';

/** Presents issues as to-do targets, limited to those the reader may still read. */
export const issueTodoTarget: TargetPresenter = {
  type: 'Issue',
  async present(services, reader, ids) {
    const { read } = services.db;
    const [issues, assigned] = await Promise.all([issuesById(read, ids), assigneeIds(read, ids)]);
    const projectIds = [...new Set([...issues.values()].map(({ project_id }) => project_id))];
    const subjects = await subjectsOf(read, reader, await findProjects(read, projectIds));
    const byProject = new Map(subjects.map((subject) => [subject.project.id, subject]));
    const readable = [...issues.values()].filter((issue) => {
      const subject = byProject.get(issue.project_id);
      return subject?.can('read_project') && mayRead(reader, subject, issue, assigned.get(issue.id) ?? []);
    });
    const entities = await presentIssues(services, reader, readable, { within: null });
    return new Map(
      entities.map((entity): [number, ShownTarget] => [
        entity.id,
        { entity, url: entity.web_url, title: entity.title },
      ]),
    );
  },
};
