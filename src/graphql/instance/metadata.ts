import type { Part } from '../engine/part.ts';

export const metadata: Part = {
  types: `
    extend type Query { metadata: Metadata }
    "What the server is."
    type Metadata { enterprise: Boolean! kas: Kas! revision: String! version: String! }
    type Kas { enabled: Boolean! externalUrl: String version: String }
  `,
  fields: {
    Query: { metadata: (_source, _given, context) => context.read('/metadata') },
  },
};
