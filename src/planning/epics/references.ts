import { type GroupSubject, groupSubject, lookUpNamespace } from '../../access/subjects.ts';
import { type ReferenceResolver, type ResolvedReference, referenceKey } from '../markdown/public.ts';
import { mayRead } from './access.ts';
import { findEpic } from './store.ts';

/** `&4` and `group&4`: epics, for those who may read them. */
export const epicReferences: ReferenceResolver = {
  types: ['epic'],
  resolve: async ({ db }, place, references) => {
    const groups = new Map<string, GroupSubject | undefined>();
    const groupAt = async (path: string): Promise<GroupSubject | undefined> => {
      if (!groups.has(path)) {
        const row = await lookUpNamespace(db.read, path);
        const subject = row?.kind === 'group' ? await groupSubject(db.read, place.reader, row) : undefined;
        groups.set(path, subject?.can('read_group') ? subject : undefined);
      }
      return groups.get(path);
    };
    const own = place.project?.namespace.full_path;
    const found = new Map<string, ResolvedReference>();
    for (const reference of references) {
      const path = reference.type === 'epic' ? (reference.path ?? own) : undefined;
      const subject = path === undefined ? undefined : await groupAt(path);
      if (reference.type !== 'epic' || !subject) continue;
      const epic = await findEpic(db.read, subject.group.id, reference.iid);
      if (!epic || !mayRead(subject, epic)) continue;
      const shown = subject.group.full_path === own ? '' : subject.group.full_path;
      found.set(referenceKey(reference), {
        href: `${place.webPath(`groups/${subject.group.full_path}`)}/-/epics/${epic.iid}`,
        text: `${shown}&${epic.iid}${epic.state === 'closed' ? ' (closed)' : ''}`,
        title: epic.title,
        id: epic.id,
        groupId: subject.group.id,
      });
    }
    return found;
  },
};
