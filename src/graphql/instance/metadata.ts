import type { Part } from '../engine/part.ts';

export const metadata: Part = {
  types: `
    extend type Query { metadata: Metadata }
    "Version and features of the server."
    type Metadata { enterprise: Boolean! kas: Kas! revision: String! version: String! }
    type Kas { enabled: Boolean! externalUrl: String version: String }
  `,
  fields: {
    Query: { metadata: (_source, _args, context) => context.read('/metadata') },
  },
};
