import { type GroupSubject, groupSubject, lookUpNamespace } from '../../access/subjects.ts';
import { type ReferenceResolver, type ResolvedReference, referenceKey } from '../markdown/public.ts';
import { mayRead } from './access.ts';
import { epicsByIid } from './store.ts';

/** Maximum number of groups looked up, because a text may name any number of them. */
const maxGroups = 50;

/** Resolves `&4` and `group&4` to epics that the reader may see. */
export const epicReferences: ReferenceResolver = {
  types: ['epic'],
  resolve: async ({ db }, place, references) => {
    const own = place.project?.namespace.full_path;
    const named = references.flatMap((reference) => {
      const path = reference.type === 'epic' ? (reference.path ?? own) : undefined;
      return reference.type === 'epic' && path !== undefined ? [{ reference, path }] : [];
    });
    const groupAt = async (path: string): Promise<GroupSubject | undefined> => {
      const row = await lookUpNamespace(db.read, path);
      const subject = row?.kind === 'group' ? await groupSubject(db.read, place.reader, row) : undefined;
      return subject?.can('read_group') ? subject : undefined;
    };
    const found = new Map<string, ResolvedReference>();
    for (const [path, all] of [...Map.groupBy(named, (each) => each.path)].slice(0, maxGroups)) {
      const subject = await groupAt(path);
      if (!subject) continue;
      const { group } = subject;
      const iids = all.map(({ reference }) => reference.iid);
      const epics = await epicsByIid(db.read, group.id, iids);
      for (const { reference } of all) {
        const epic = epics.get(reference.iid);
        if (!epic || !mayRead(subject, epic)) continue;
        found.set(referenceKey(reference), {
          href: `${place.webPath(`groups/${group.full_path}`)}/-/epics/${epic.iid}`,
          text: `${group.full_path === own ? '' : group.full_path}&${epic.iid}${epic.state === 'closed' ? ' (closed)' : ''}`,
          title: epic.title,
          id: epic.id,
          groupId: group.id,
        });
      }
    }
    return found;
  },
};
