import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Services } from '../../../access/services.ts';
import { serveLetterLink } from '../../../platform/http/pages/small-page.ts';
import { askForConfirmation, confirmAddress } from './confirmation.ts';

/** Where the link of a letter leads that asks whether an address is somebody's own. */
export async function serveConfirmations(app: FastifyInstance, services: Services): Promise<void> {
  const secretOf = ({ query }: FastifyRequest) => {
    const sent = (query as Readonly<Record<string, unknown>>).confirmation_token;
    return typeof sent === 'string' ? sent : '';
  };
  await serveLetterLink(app, '/-/users/confirmation', secretOf, {
    ask: (secret) => askForConfirmation(services, secret),
    act: (secret) => confirmAddress(services, secret),
  });
}
