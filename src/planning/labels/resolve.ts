import type { ProjectOrGroup } from '../../access/project-or-group.ts';
import { columnsOf } from '../../access/project-or-group.ts';
import type { Reader, Writer } from '../../platform/database/database.ts';
import { Invalid } from '../../platform/http/errors.ts';
import { tooLong } from '../../platform/http/parameters/too-long.ts';
import { labelScopeOf } from './scope.ts';
import { ensureLabel, labelsById, labelsTitled } from './store.ts';
import type { LabelRow } from './tables.ts';

/** What a label gets that comes into being because something was labelled with it. */
const defaultColor = '#6699cc';

/** The titles in a list as people write it: no blanks, none twice. */
export function cleanTitles(titles: readonly string[]): string[] {
  return [...new Set(titles.map((title) => title.trim()).filter((title) => title !== ''))];
}

/** Nothing carries more labels: each that is new is written, while others wait. */
const mostLabels = 500;

/** Refuses a list of labels that is longer than anything carries. */
export function checkLabelCount(titles: readonly string[]): void {
  if (titles.length <= mostLabels) return;
  throw new Invalid({ labels: [`total must be less than or equal to ${mostLabels}`] });
}

/** The labels of these titles that a project or group can use, its own and those of the groups above. */
export async function findLabels(
  db: Reader,
  subject: ProjectOrGroup,
  titles: readonly string[],
): Promise<ReadonlyMap<string, LabelRow>> {
  return labelsTitled(db, await labelScopeOf(db, subject, true), cleanTitles(titles));
}

/** The label of this number, if a project or group can use it. */
export async function usableLabel(db: Reader, subject: ProjectOrGroup, id: number): Promise<LabelRow | undefined> {
  const [[label], { projectId, namespaceIds }] = await Promise.all([
    labelsById(db, [id]),
    labelScopeOf(db, subject, true),
  ]);
  if (!label) return undefined;
  const own = projectId !== null && label.project_id === projectId;
  return own || (label.namespace_id !== null && namespaceIds.includes(label.namespace_id)) ? label : undefined;
}

/** The same; those that do not exist are made, if whoever asks may make labels there, and left out otherwise. */
export async function findOrCreateLabels(
  trx: Writer,
  subject: ProjectOrGroup,
  titles: readonly string[],
): Promise<readonly LabelRow[]> {
  const wanted = cleanTitles(titles);
  checkLabelCount(wanted);
  const found = new Map(await findLabels(trx, subject, wanted));
  const may = subject.can('admin_label');
  for (const title of wanted) {
    if (found.has(title) || !may || tooLong(title, 255) !== undefined || /[,\n\r]/.test(title)) continue;
    const now = Date.now();
    const row = {
      ...columnsOf(subject),
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
