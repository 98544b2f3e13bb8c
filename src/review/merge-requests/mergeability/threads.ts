import { settingsOf } from '../../../access/stored-settings.ts';
import type { Reader } from '../../../platform/database/database.ts';
import { mergeSettings } from '../settings.ts';
import { projectPathsOf } from '../store.ts';
import type { MergeRequestRow } from '../tables.ts';
import { namespaceSettingsWithAncestors, withOpenThreads } from './store.ts';

/** Whether unresolved threads do not block merging; only some projects require them to be resolved. */
export async function areThreadsResolved(db: Reader, { id, project_id }: MergeRequestRow): Promise<boolean> {
  if (!(await withOpenThreads(db, [id])).has(id)) return true;
  const place = (await projectPathsOf(db, [project_id])).get(project_id);
  if (!place) return true;
  const around = (await namespaceSettingsWithAncestors(db, [place.namespace_id])).get(place.namespace_id) ?? [];
  return !mergeSettings(settingsOf(place), around.map(settingsOf)).threadsMustBeResolved;
}
