import type { Area } from '../access/area.ts';
import { serveGraphql } from './serve.ts';

/** A GraphQL API for editor plugins. Like the web pages, it is a client of the REST API in this process. */
export const graphql: Area = {
  name: 'graphql',
  pages: async (app, context) => {
    await serveGraphql(app, context);
    return undefined;
  },
};
