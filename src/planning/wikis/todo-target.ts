import type { SignedInActor } from '../../access/actor.ts';
import type { ProjectOrGroup } from '../../access/project-or-group.ts';
import type { Services } from '../../access/services.ts';
import { findNamespace } from '../../access/subject-queries.ts';
import { groupSubject } from '../../access/subjects.ts';
import { findProjects, subjectsOf } from '../../namespaces/projects/public.ts';
import type { ShownTarget, TargetPresenter } from '../todos/public.ts';
import { titleOf } from './page.ts';
import { isReadable } from './readable.ts';
import { wikiUrl } from './repository.ts';
import { pagesById } from './store.ts';
import type { WikiPageRow } from './tables.ts';

/** Projects and groups of these pages whose wikis the reader may read. */
async function readablePlaces(
  { db }: Services,
  reader: SignedInActor,
  pages: readonly WikiPageRow[],
): Promise<ProjectOrGroup[]> {
  const projects = await findProjects(db.read, [...new Set(pages.flatMap(({ project_id }) => project_id ?? []))]);
  const places: ProjectOrGroup[] = (await subjectsOf(db.read, reader, projects)).filter((subject) =>
    subject.can('read_project'),
  );
  for (const id of new Set(pages.flatMap(({ namespace_id }) => namespace_id ?? []))) {
    const group = await findNamespace(db.read, id);
    const subject = group && (await groupSubject(db.read, reader, group));
    if (subject?.can('read_group')) places.push(subject);
  }
  return places.filter((place) => place.can('read_wiki') && isReadable(place));
}

/** Presents wiki pages as to-do targets, limited to wikis that the reader may read. */
export const wikiTodoTarget: TargetPresenter = {
  type: 'WikiPage::Meta',
  async present(services, reader, ids) {
    const pages = await pagesById(services.db.read, ids);
    const shown = new Map<number, ShownTarget>();
    for (const place of await readablePlaces(services, reader, pages)) {
      const own = pages.filter(({ project_id, namespace_id }) =>
        'project' in place ? project_id === place.project.id : namespace_id === place.group.id,
      );
      for (const { id, slug } of own) {
        const title = titleOf(slug);
        shown.set(id, { entity: { wiki_page_meta_id: id, slug, title }, url: wikiUrl(services, place, slug), title });
      }
    }
    return shown;
  },
};
