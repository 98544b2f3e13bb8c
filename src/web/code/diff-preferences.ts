import type { Visit } from '../frame/visit.ts';

/** The user's diff preferences. */
export interface DiffPreferences {
  readonly filesOnPage: number;
  /** Whether lines that differ in whitespace only are shown as unchanged. */
  readonly hidesSpaces: boolean;
}

/** Reads the preferences from the query (`w=1` hides whitespace changes), falling back to those of the user. */
export async function diffPreferences(visit: Visit, usually: number): Promise<DiffPreferences> {
  const own = visit.user ? await visit.api.maybe('/user/preferences') : undefined;
  const requested = visit.query.get('w');
  return {
    filesOnPage: own?.view_diffs_file_by_file === true ? 1 : usually,
    hidesSpaces: requested === null ? own?.show_whitespace_in_diffs === false : requested === '1',
  };
}
