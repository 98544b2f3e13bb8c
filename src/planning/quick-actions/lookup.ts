import type { Actor } from '../../access/actor.ts';
import { selfAndAncestorIds } from '../../access/namespaces/hierarchy.ts';
import { isProject } from '../../access/project-or-group.ts';
import type { Services } from '../../access/services.ts';
import { type GroupSubject, lookUpProject, type ProjectSubject, projectSubject } from '../../access/subjects.ts';
import { findLabels } from '../labels/public.ts';
import {
  qualifyInGroup,
  type Reference,
  readReference,
  referenceKey,
  resolveReferences,
  usersNamed,
} from '../markdown/public.ts';
import { milestonesNamed } from '../milestones/public.ts';
import { emptyLookupResults, type FoundItem, type LookupRequest, type LookupResults } from './findings.ts';

const kinds = { issue: 'issue', merge_request: 'merge_request', epic: 'epic' } as const;
type ItemType = keyof typeof kinds;
const isItem = (type: string): type is ItemType => type in kinds;

async function findItems(
  services: Services,
  writer: Actor,
  place: ProjectSubject | GroupSubject,
  words: readonly string[],
): Promise<{ items: Map<string, FoundItem>; others: Map<string, { id: number; title: string }> }> {
  const read = words.flatMap((word) => {
    const reference = readReference(word, services.externalUrl);
    return reference ? [[word, isProject(place) ? reference : qualifyInGroup(place, reference)] as const] : [];
  });
  const references: Reference[] = read.map(([, reference]) => reference);
  const resolved = await resolveReferences(services, writer, isProject(place) ? place : undefined, references);
  const items = new Map<string, FoundItem>();
  const others = new Map<string, { id: number; title: string }>();
  for (const [word, reference] of read) {
    const found = resolved.get(referenceKey(reference));
    if (found?.id === undefined) continue;
    if (!isItem(reference.type)) {
      others.set(word, { id: found.id, title: found.title ?? '' });
      continue;
    }
    items.set(word, {
      id: found.id,
      kind: reference.type,
      reference: found.text.replace(/ \(\w+\)$/, ''),
      ...(found.projectId !== undefined && { projectId: found.projectId }),
    });
  }
  return { items, others };
}

async function findProjects(
  { db }: Services,
  writer: Actor,
  project: ProjectSubject | undefined,
  paths: readonly string[],
): Promise<Map<string, { id: number; fullPath: string }>> {
  const found = new Map<string, { id: number; fullPath: string }>();
  if (project) found.set('', { id: project.project.id, fullPath: project.fullPath });
  for (const path of paths) {
    const row = await lookUpProject(db.read, path);
    const subject = row && (await projectSubject(db.read, writer, row.project));
    if (subject?.can('read_project')) found.set(path, { id: subject.project.id, fullPath: subject.fullPath });
  }
  return found;
}

/** Looks up the objects that the commands of a text in a project name, limited to what the writer may see. */
export async function lookUp(
  services: Services,
  writer: Actor,
  subject: ProjectSubject,
  wanted: Required<LookupRequest>,
): Promise<LookupResults> {
  const { read } = services.db;
  const above = subject.namespace.kind === 'group' ? await selfAndAncestorIds(read, subject.namespace.id) : [];
  const [people, labels, milestones, { items, others }, projects] = await Promise.all([
    usersNamed(
      read,
      wanted.usernames.map((name) => name.toLowerCase()),
    ),
    findLabels(read, subject, wanted.labels),
    milestonesNamed(read, subject.project.id, above, wanted.milestones),
    findItems(services, writer, subject, [...wanted.items, ...wanted.iterations]),
    findProjects(services, writer, subject, wanted.projects),
  ]);
  const byName = new Map(people.map(({ id, username }) => [username.toLowerCase(), { id, username }]));
  return {
    ...emptyLookupResults,
    person: (username) => byName.get(username.toLowerCase()),
    label: (name) => labels.get(name),
    milestone: (title) => milestones.get(title),
    item: (reference) => items.get(reference),
    project: (path) => projects.get(path),
    iteration: (reference) => others.get(reference),
  };
}

/** Like lookUp, for texts in a group, whose commands name labels and items. */
export async function lookUpInGroup(
  services: Services,
  writer: Actor,
  subject: GroupSubject,
  wanted: Required<LookupRequest>,
): Promise<LookupResults> {
  const [labels, { items }] = await Promise.all([
    findLabels(services.db.read, subject, wanted.labels),
    findItems(services, writer, subject, wanted.items),
  ]);
  return { ...emptyLookupResults, label: (name) => labels.get(name), item: (reference) => items.get(reference) };
}
