import type { Actor } from '../../access/actor.ts';
import { selfAndAncestorIds } from '../../access/namespaces/hierarchy.ts';
import type { Services } from '../../access/services.ts';
import type { ProjectSubject } from '../../access/subjects.ts';
import type { MilestoneNames } from '../../code/releases/public.ts';
import type { Reader } from '../../platform/database/database.ts';
import { countIssuesOfMilestones } from '../issues/public.ts';
import { renderTexts } from '../markdown/public.ts';
import { milestonesById, milestonesNamed, presentMilestone } from '../milestones/public.ts';
import { milestonesOfReleases } from './store.ts';

/** Milestones available to the project, by the title or ID they were requested with. */
export async function findMilestones(
  db: Reader,
  { project, namespace }: ProjectSubject,
  { milestones = [], milestone_ids: ids = [] }: MilestoneNames,
): Promise<ReadonlyMap<string | number, number>> {
  const above = namespace.kind === 'group' ? await selfAndAncestorIds(db, namespace.id) : [];
  const [byTitle, byId] = await Promise.all([
    milestonesNamed(db, project.id, above, milestones),
    milestonesById(db, ids),
  ]);
  const titled = milestones.flatMap((title) => {
    const found = byTitle.get(title);
    return found?.title === title ? [[title, found.id] as const] : [];
  });
  const numbered = [...byId.values()]
    .filter((row) => row.project_id === project.id || (row.namespace_id !== null && above.includes(row.namespace_id)))
    .map((row) => [row.id, row.id] as const);
  return new Map<string | number, number>([...titled, ...numbered]);
}

/** Milestones of releases with their issue counts, in three queries. */
export async function showMilestones(db: Reader, releaseIds: readonly number[], externalUrl: string) {
  const rows = await milestonesOfReleases(db, releaseIds);
  const ids = [...new Set(rows.map((row) => row.milestone_id))];
  const [milestones, counts] = await Promise.all([milestonesById(db, ids), countIssuesOfMilestones(db, ids)]);
  const shown = rows.flatMap(({ release_id, milestone_id }) => {
    const milestone = milestones.get(milestone_id);
    const issue_stats = counts.get(milestone_id) ?? { total: 0, closed: 0 };
    return milestone ? [{ release_id, entity: { ...presentMilestone(milestone, externalUrl), issue_stats } }] : [];
  });
  const grouped = Map.groupBy(shown, ({ release_id }) => release_id);
  return new Map([...grouped].map(([id, own]) => [id, own.map(({ entity }) => entity)]));
}

/** Renders the notes of releases. */
export function renderNotes(services: Services, reader: Actor, subject: ProjectSubject, notes: readonly string[]) {
  return renderTexts(
    services,
    reader,
    subject,
    notes.map((text) => ({ text })),
  );
}
