import type { Services } from '../../access/services.ts';
import { basicUsers } from '../../people/users/public.ts';
import { instant, instantOrNull } from '../../platform/http/schema.ts';
import { presentLabels } from '../issues/public.ts';
import { labelsOfEach, textColor } from '../labels/public.ts';
import type { EpicEntity } from './schema.ts';
import { datesFromMilestones, epicsById, groupPaths, labelIds } from './store.ts';
import type { EpicRow } from './tables.ts';

/** Options for presenting epics. */
export interface EpicView {
  /** The requested group, which short references are relative to. */
  readonly groupId: number;
  readonly labelsInDetail?: boolean;
}

export const epicUrl = (externalUrl: string, path: string, iid: number) =>
  `${externalUrl}/groups/${path}/-/epics/${iid}`;

/** Loads everything a page of epics refers to, in a fixed number of queries. */
async function related({ db, externalUrl }: Services, rows: readonly EpicRow[]) {
  const ids = rows.map(({ id }) => id);
  const [parents, paths, labelled, dates, users] = await Promise.all([
    epicsById(
      db.read,
      rows.map(({ parent_id }) => parent_id),
    ),
    groupPaths(
      db.read,
      rows.map(({ namespace_id }) => namespace_id),
    ),
    labelIds(db.read, ids),
    datesFromMilestones(db.read, ids),
    basicUsers(
      db.read,
      rows.map(({ author_id }) => author_id),
      externalUrl,
    ),
  ]);
  return { parents, paths, labels: await labelsOfEach(db.read, labelled), dates, users };
}

/** Presents a page of epics. */
export async function presentEpics(
  services: Services,
  rows: readonly EpicRow[],
  { groupId, labelsInDetail = false }: EpicView,
): Promise<EpicEntity[]> {
  if (rows.length === 0) return [];
  const { parents, paths, labels, dates, users } = await related(services, rows);
  const { externalUrl } = services;
  const api = (group: number) => `${externalUrl}/api/v4/groups/${group}`;
  return rows.map((row) => {
    const author = users.get(row.author_id);
    if (!author) throw new Error(`the author of epic ${row.id} is missing`);
    const path = paths.get(row.namespace_id) ?? '';
    const parent = row.parent_id === null ? undefined : parents.get(row.parent_id);
    const { start = null, due = null } = dates.get(row.id) ?? {};
    const begins = row.start_date_is_fixed === 1 ? row.start_date_fixed : start;
    const ends = row.due_date_is_fixed === 1 ? row.due_date_fixed : due;
    const web_url = epicUrl(externalUrl, path, row.iid);
    const full = `${path}&${row.iid}`;
    const self = `${api(row.namespace_id)}/epics/${row.iid}`;
    return {
      id: row.id,
      work_item_id: row.id,
      iid: row.iid,
      color: row.color,
      text_color: textColor(row.color),
      group_id: row.namespace_id,
      parent_id: row.parent_id,
      parent_iid: parent?.iid ?? null,
      imported: row.imported_from !== 'none',
      imported_from: row.imported_from,
      title: row.title,
      description: row.description,
      confidential: row.confidential === 1,
      author,
      start_date: begins,
      start_date_is_fixed: row.start_date_is_fixed === 1,
      start_date_fixed: row.start_date_fixed,
      start_date_from_inherited_source: start,
      start_date_from_milestones: start,
      end_date: ends,
      due_date: ends,
      due_date_is_fixed: row.due_date_is_fixed === 1,
      due_date_fixed: row.due_date_fixed,
      due_date_from_inherited_source: due,
      due_date_from_milestones: due,
      state: row.state,
      web_edit_url: new URL(web_url).pathname,
      web_url,
      references: { short: `&${row.iid}`, relative: row.namespace_id === groupId ? `&${row.iid}` : full, full },
      reference: `&${row.iid}`,
      created_at: instant(row.created_at),
      updated_at: instant(row.updated_at),
      closed_at: instantOrNull(row.closed_at),
      labels: presentLabels(labels.get(row.id) ?? [], labelsInDetail),
      upvotes: row.upvotes,
      downvotes: row.downvotes,
      _links: {
        self,
        epic_issues: `${self}/issues`,
        group: api(row.namespace_id),
        parent: parent ? `${api(parent.namespace_id)}/epics/${parent.iid}` : null,
      },
    };
  });
}
