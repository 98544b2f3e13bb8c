import Type from 'typebox';
import type { Gates } from '../../access/gates.ts';
import { type Route, route } from '../../access/route.ts';
import type { Services } from '../../access/services.ts';
import { NotFound } from '../../platform/http/errors.ts';
import { WebCommitKey } from './schema.ts';

/** `/web_commits`. */
export function signatureRoutes({ git }: Services, gates: Gates): Route[] {
  return [
    route({
      method: 'GET',
      path: '/web_commits/public_key',
      tag: 'commits',
      summary: 'Get the public keys for web commits',
      gate: gates.anyone,
      params: {},
      responses: { 200: Type.Array(WebCommitKey) },
      handle: () => {
        if (!git.signer) throw new NotFound();
        return git.signer.publicKeys.map(({ text }) => ({ public_key: text }));
      },
    }),
  ];
}
