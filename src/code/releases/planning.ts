import type { Actor } from '../../access/actor.ts';
import type { Services } from '../../access/services.ts';
import type { ProjectSubject } from '../../access/subjects.ts';
import type { Reader, Writer } from '../../platform/database/database.ts';
import { BadRequest, Invalid } from '../../platform/http/errors.ts';
import type { ReleaseMilestoneEntity } from './schema.ts';

/** The milestones of a release, by title or ID. */
export interface MilestoneNames {
  readonly milestones?: readonly string[];
  readonly milestone_ids?: readonly number[];
}

/** Access to milestones, contributed by another area. */
interface ReleaseMilestones {
  /** Returns the IDs of the named milestones available to the project, by the name or ID given. */
  readonly find: (
    db: Reader,
    subject: ProjectSubject,
    names: MilestoneNames,
  ) => Promise<ReadonlyMap<string | number, number>>;
  /** Replaces the milestones of a release. */
  readonly replace: (trx: Writer, releaseId: number, milestoneIds: readonly number[]) => Promise<void>;
  /** Presents the milestones of releases by release ID. */
  readonly show: (
    db: Reader,
    releaseIds: readonly number[],
    externalUrl: string,
  ) => Promise<ReadonlyMap<number, readonly ReleaseMilestoneEntity[]>>;
}

/** Renders the release notes of a project as HTML for a reader. */
type RenderNotes = (
  services: Services,
  reader: Actor,
  subject: ProjectSubject,
  notes: readonly string[],
) => Promise<readonly string[]>;

declare module '../../platform/domain-events.ts' {
  interface Contributions {
    'releases.milestones': ReleaseMilestones;
    'releases.html': RenderNotes;
  }
}

const maxMilestones = 100;

/** Returns the IDs of the named milestones; undefined if none were given. */
export async function namedMilestones(
  services: Services,
  subject: ProjectSubject,
  names: MilestoneNames,
): Promise<readonly number[] | undefined> {
  const { milestones, milestone_ids: ids } = names;
  const requested = milestones ?? ids;
  if (requested === undefined) return undefined;
  for (const [field, list] of Object.entries({ milestones, milestone_ids: ids })) {
    if (list && list.length > maxMilestones)
      throw new Invalid({ [field]: [`total must be less than or equal to ${maxMilestones}`] });
  }
  const sources = services.contributions('releases.milestones');
  const found = new Map<string | number, number>();
  for (const { find } of sources)
    for (const [name, id] of await find(services.db.read, subject, names)) found.set(name, id);
  const missing = requested.filter((name) => !found.has(name));
  if (missing.length > 0) {
    throw BadRequest.plain(`Milestone${milestones ? '(s)' : ' id(s)'} not found: ${missing.join(', ')}`);
  }
  return [...new Set(found.values())];
}

export async function replaceMilestones(
  services: Services,
  trx: Writer,
  releaseId: number,
  milestoneIds: readonly number[] | undefined,
): Promise<void> {
  if (milestoneIds === undefined) return;
  for (const { replace } of services.contributions('releases.milestones')) await replace(trx, releaseId, milestoneIds);
}

/** Presents the milestones of a page of releases. */
export async function milestonesOf(
  { contributions, externalUrl }: Services,
  db: Reader,
  releaseIds: readonly number[],
): Promise<(releaseId: number) => ReleaseMilestoneEntity[]> {
  const sources = releaseIds.length === 0 ? [] : contributions('releases.milestones');
  const shown = await Promise.all(sources.map(({ show }) => show(db, releaseIds, externalUrl)));
  return (releaseId) => shown.flatMap((source) => source.get(releaseId) ?? []);
}
