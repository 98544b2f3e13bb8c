import type { Visit } from '../frame/visit.ts';

/** How a reader wants changes to be shown. */
export interface DiffPreferences {
  readonly filesOnPage: number;
  /** Lines that differ in their white space alone are shown as unchanged. */
  readonly hidesSpaces: boolean;
}

/** As the address says (`w=1` hides white space), and otherwise as the reader's own preferences do. */
export async function diffPreferences(visit: Visit, usually: number): Promise<DiffPreferences> {
  const own = visit.user ? await visit.api.maybe('/user/preferences') : undefined;
  const asked = visit.query.get('w');
  return {
    filesOnPage: own?.view_diffs_file_by_file === true ? 1 : usually,
    hidesSpaces: asked === null ? own?.show_whitespace_in_diffs === false : asked === '1',
  };
}
