import { selfAndAncestorIds } from '../../access/namespaces/hierarchy.ts';
import type { ProjectSubject } from '../../access/subjects.ts';
import {
  type ReferenceResolver,
  type ResolvedReference,
  referenceKey,
  referencePathPrefix,
} from '../markdown/public.ts';
import { type FoundMilestone, milestonesNamed } from './store.ts';

/**
 * Resolves `%1` by IID within the project, and `%v1` and `%"Release 2"` by title, among the milestones available to the
 * project.
 */
export const milestoneReferences: ReferenceResolver = {
  types: ['milestone'],
  resolve: async ({ db }, place, references) => {
    const named = references.flatMap((reference) => {
      const subject = reference.type === 'milestone' ? place.projectOf(reference) : undefined;
      const shown = subject?.can('read_issue') || subject?.can('read_merge_request');
      return reference.type === 'milestone' && subject && shown ? [{ reference, subject }] : [];
    });
    const found = new Map<string, ResolvedReference>();
    for (const [subject, all] of Map.groupBy(named, ({ subject }) => subject)) {
      const { namespace, project } = subject;
      const line = namespace.kind === 'group' ? await selfAndAncestorIds(db.read, namespace.id) : [];
      const names = all.flatMap(({ reference: { name } }) => [name, `%${name}`]);
      const milestones = await milestonesNamed(db.read, project.id, line, names);
      for (const { reference } of all) {
        const [titled, numbered] = [milestones.get(reference.name), milestones.get(`%${reference.name}`)];
        // The project's own milestone takes precedence over one of an ancestor group, whether referenced by title or
        // number.
        const milestone = titled?.project_id === project.id ? titled : (numbered ?? titled);
        if (milestone) found.set(referenceKey(reference), present(milestone, subject));
      }
    }
    return found;

    function present(
      { id, iid, title, project_id, full_path }: FoundMilestone,
      subject: ProjectSubject,
    ): ResolvedReference {
      const base = project_id === null ? `groups/${full_path}` : full_path;
      const path = referencePathPrefix(place, subject);
      return {
        href: `${place.webPath(base)}/-/milestones/${iid}`,
        text: path === '' ? `%${title}` : `${path}%${title}`,
        id,
        projectId: subject.project.id,
      };
    }
  },
};
