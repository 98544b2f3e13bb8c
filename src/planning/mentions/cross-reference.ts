import type { SignedInActor } from '../../access/actor.ts';
import type { Services } from '../../access/services.ts';
import type { GroupSubject, ProjectSubject } from '../../access/subjects.ts';
import { findProjects, subjectsOf } from '../../namespaces/projects/public.ts';
import { qualifyInGroup, type Reference, referenceKey, resolveReferences } from '../markdown/public.ts';
import type { Target } from '../target.ts';

const targetTypes = { issue: 'Issue', merge_request: 'MergeRequest', epic: 'Epic' } as const;
type ItemType = keyof typeof targetTypes;
const isItem = (type: string): type is ItemType => type in targetTypes;

/** An item that a text refers to, and how that item refers back to the text's project. */
export interface MentionedItem {
  readonly target: Target;
  /** Path before the sign of the reference back; empty within the same project. */
  readonly backPath: string;
}

/** System note on items mentioned in a commit. */
export function mentionedInCommit(oid: string, backPath: string): string {
  return `mentioned in commit ${backPath === '' ? '' : `${backPath}@`}${oid.slice(0, 8)}`;
}

/** The project or group of a text; neither for personal snippets. */
export interface TextSource {
  readonly project?: ProjectSubject | undefined;
  readonly group?: GroupSubject | undefined;
}

/** Resolves the references of a text, limited to what its author may see. */
export async function mentionedItems(
  services: Services,
  author: SignedInActor,
  place: TextSource,
  written: readonly Reference[],
): Promise<MentionedItem[]> {
  const { project, group } = place;
  const references = group ? written.map((reference) => qualifyInGroup(group, reference)) : written;
  const resolved = await resolveReferences(services, author, project, references);
  const found = references.flatMap((reference): Target[] => {
    const item = resolved.get(referenceKey(reference));
    if (item?.id === undefined || !isItem(reference.type)) return [];
    const { projectId = null, groupId = null } = item;
    return [
      {
        type: targetTypes[reference.type],
        id: item.id,
        project_id: projectId,
        namespace_id: projectId === null ? groupId : null,
      },
    ];
  });
  const { read } = services.db;
  const projects = [...new Set(found.flatMap(({ project_id }) => project_id ?? []))];
  const subjects = await subjectsOf(read, author, await findProjects(read, projects));
  const namespaces = new Map(subjects.map(({ project: { id }, namespace }) => [id, namespace.id]));
  const unique = [...new Map(found.map((target) => [`${target.type} ${target.id}`, target])).values()];
  return unique.map((target) => ({ target, backPath: backPath(target, place, namespaces) }));
}

function backPath(
  { project_id, namespace_id }: Target,
  { project, group }: TextSource,
  namespaces: ReadonlyMap<number, number>,
): string {
  if (group) return namespace_id === group.group.id ? '' : group.group.full_path;
  if (!project || project_id === project.project.id) return '';
  const neighbours = project_id !== null && namespaces.get(project_id) === project.namespace.id;
  return neighbours ? project.project.path : project.fullPath;
}
