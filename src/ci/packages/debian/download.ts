import Type from 'typebox';
import { readingScopes } from '../gate.ts';

/** What the routes that apt reads have in common. */
export const download = {
  tag: 'packages',
  method: 'GET',
  jobToken: true,
  deployScopes: readingScopes,
  responses: { 200: Type.String({ format: 'binary' }) },
} as const;
