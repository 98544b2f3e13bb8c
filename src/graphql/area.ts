import type { Area } from '../access/area.ts';
import { serveGraphql } from './serve.ts';

/** GraphQL for editors: like the pages a client of the public API, in this process. */
export const graphql: Area = {
  name: 'graphql',
  pages: async (app, context) => {
    await serveGraphql(app, context);
    return undefined;
  },
};
