import { presentCommit } from '../../code/commits/public.ts';
import { projectUrl } from '../../code/repository/public.ts';
import { findProjects, subjectsOf } from '../../namespaces/projects/public.ts';
import type { ShownTarget, TargetPresenter } from '../todos/public.ts';
import { notedCommits } from './store.ts';

/** Presents commits as to-do targets, limited to projects whose code the reader may read. */
export const commitTodoTarget: TargetPresenter = {
  type: 'Commit',
  async present(services, reader, ids) {
    const { read } = services.db;
    const noted = await notedCommits(read, ids);
    const projects = await findProjects(read, [...new Set(noted.map(({ project_id }) => project_id))]);
    const subjects = await subjectsOf(read, reader, projects);
    const readable = subjects.filter((each) => each.can('read_project') && each.can('read_code'));
    const shown = new Map<number, ShownTarget>();
    for (const subject of readable) {
      const own = noted.filter(({ project_id }) => project_id === subject.project.id);
      const objects = services.git.objects(services.git.repository(subject.project.id));
      const commits = await objects.commits(own.map(({ sha }) => sha));
      own.forEach(({ id }, at) => {
        const commit = commits[at];
        if (!commit) return;
        const entity = presentCommit(commit, projectUrl(services, subject));
        shown.set(id, { entity, url: entity.web_url, title: entity.title });
      });
    }
    return shown;
  },
};
