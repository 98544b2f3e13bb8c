import type { Area } from '../../access/area.ts';

/** Terms of service and their acceptances. There is no API for them: users accept them in the browser. */
export const terms: Area = { name: 'terms' };
