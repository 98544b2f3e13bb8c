import { ancestorsOf } from '../../access/namespaces.ts';
import type { ProjectSubject } from '../../access/subjects.ts';
import { type ReferenceResolver, type ResolvedReference, referenceKey, shownPath } from '../markdown/public.ts';
import { type FoundMilestone, milestonesNamed } from './store.ts';

/** `%1` by number within the project, `%v1` and `%"Release 2"` by title: milestones that the project can use. */
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
      const line = namespace.kind === 'group' ? await ancestorsOf(db.read, namespace.id) : [];
      const names = all.map(({ reference }) => reference.name);
      const milestones = await milestonesNamed(db.read, project.id, line, names);
      for (const { reference } of all) {
        const isMeant = ({ title, iid, project_id }: FoundMilestone) =>
          title === reference.name || (project_id === project.id && String(iid) === reference.name);
        const milestone = milestones.find(isMeant);
        if (milestone) found.set(referenceKey(reference), present(milestone, subject));
      }
    }
    return found;

    function present(
      { id, iid, title, project_id, full_path }: FoundMilestone,
      subject: ProjectSubject,
    ): ResolvedReference {
      const base = project_id === null ? `groups/${full_path}` : full_path;
      const path = shownPath(place, subject);
      return {
        href: `${place.webPath(base)}/-/milestones/${iid}`,
        text: path === '' ? `%${title}` : `${path}%${title}`,
        id,
        projectId: subject.project.id,
      };
    }
  },
};
