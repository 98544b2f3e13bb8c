import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Services } from '../../../access/services.ts';
import { serveEmailLink } from '../../../platform/http/pages/small-page.ts';
import { askForConfirmation, confirmAddress } from './confirmation.ts';

/** Serves the page that confirmation links lead to. */
export async function serveConfirmations(app: FastifyInstance, services: Services): Promise<void> {
  const secretOf = ({ query }: FastifyRequest) => {
    const sent = (query as Readonly<Record<string, unknown>>).confirmation_token;
    return typeof sent === 'string' ? sent : '';
  };
  await serveEmailLink(app, '/-/users/confirmation', secretOf, {
    ask: (secret) => askForConfirmation(services, secret),
    act: (secret) => confirmAddress(services, secret),
  });
}
