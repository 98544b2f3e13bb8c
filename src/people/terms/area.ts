import type { Area } from '../../access/area.ts';

/** The terms of use that people accept, and who has accepted which. No route of the API is about them: people do it in a browser. */
export const terms: Area = { name: 'terms' };
