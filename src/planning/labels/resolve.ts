import type { ProjectOrGroup } from '../../access/project-or-group.ts';
import { ownerColumnsOf } from '../../access/project-or-group.ts';
import type { Reader, Writer } from '../../platform/database/database.ts';
import { Invalid } from '../../platform/http/errors.ts';
import { lengthProblem } from '../../platform/http/parameters/too-long.ts';
import { labelScopeOf } from './scope.ts';
import { oneOfEachScope } from './scoped.ts';
import { ensureLabel, labelsById, labelsTitled } from './store.ts';
import type { LabelRow } from './tables.ts';

/** Attributes of a label that is created implicitly when an item uses it. */
const defaultColor = '#6699cc';

/** The titles in a comma-separated list, without blanks and duplicates. */
export function cleanTitles(titles: readonly string[]): string[] {
  return [...new Set(titles.map((title) => title.trim()).filter((title) => title !== ''))];
}

/** The maximum number of labels on one item: creating each new one holds up other writers. */
const maxLabels = 500;

/** Rejects a list of more labels than an item can have. */
export function checkLabelCount(titles: readonly string[]): void {
  if (titles.length <= maxLabels) return;
  throw new Invalid({ labels: [`total must be less than or equal to ${maxLabels}`] });
}

/** The labels of these titles that a project or group can use: its own and those of its ancestors. */
export async function findLabels(
  db: Reader,
  subject: ProjectOrGroup,
  titles: readonly string[],
): Promise<ReadonlyMap<string, LabelRow>> {
  return labelsTitled(db, await labelScopeOf(db, subject, true), cleanTitles(titles));
}

/** The label of this id, if a project or group can use it. */
export async function usableLabel(db: Reader, subject: ProjectOrGroup, id: number): Promise<LabelRow | undefined> {
  const [[label], { projectId, namespaceIds }] = await Promise.all([
    labelsById(db, [id]),
    labelScopeOf(db, subject, true),
  ]);
  if (!label) return undefined;
  const own = projectId !== null && label.project_id === projectId;
  return own || (label.namespace_id !== null && namespaceIds.includes(label.namespace_id)) ? label : undefined;
}

/**
 * The labels that an item gets, which has some already: those of these titles, but of each scope only the one added
 * last. Creates missing labels if the caller may create labels there, and otherwise ignores them.
 */
export async function labelsToSet(
  trx: Writer,
  subject: ProjectOrGroup,
  titles: readonly string[],
  present: readonly number[] = [],
): Promise<readonly LabelRow[]> {
  return oneOfEachScope(await findOrCreateLabels(trx, subject, titles), present);
}

async function findOrCreateLabels(
  trx: Writer,
  subject: ProjectOrGroup,
  titles: readonly string[],
): Promise<readonly LabelRow[]> {
  const wanted = cleanTitles(titles);
  checkLabelCount(wanted);
  const found = new Map(await findLabels(trx, subject, wanted));
  const may = subject.can('admin_label');
  for (const title of wanted) {
    if (found.has(title) || !may || lengthProblem(title, 255) !== undefined || /[,\n\r]/.test(title)) continue;
    const now = Date.now();
    const row = {
      ...ownerColumnsOf(subject),
      title,
      color: defaultColor,
      description: null,
      archived: 0,
      created_at: now,
      updated_at: now,
    };
    found.set(title, await ensureLabel(trx, row));
  }
  return wanted.flatMap((title) => found.get(title) ?? []);
}
