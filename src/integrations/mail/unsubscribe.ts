import type { FastifyInstance, FastifyRequest } from 'fastify';
import Type from 'typebox';
import type { Services } from '../../access/services.ts';
import { setSubscription } from '../../planning/subscriptions/public.ts';
import { type SmallPage, serveEmailLink } from '../../platform/http/pages/small-page.ts';
import { sealedJson } from '../../platform/secrets/sealed-json.ts';
import { isPresent } from './store.ts';

const Subscription = Type.Object({
  userId: Type.Integer(),
  type: Type.Enum(['Issue', 'MergeRequest', 'Epic', 'Commit', 'Snippet']),
  id: Type.Integer(),
  projectId: Type.Union([Type.Integer(), Type.Null()]),
  /** Set for a group; links in older e-mails are for projects only and lack it. */
  namespaceId: Type.Optional(Type.Union([Type.Integer(), Type.Null()])),
  /** Title that the e-mail used. */
  named: Type.String(),
});
type Subscription = Type.Static<typeof Subscription>;

const longestName = 80;

const subscriptions = sealedJson('mail.unsubscribe', Subscription);

/**
 * Returns the URL with which the recipient unsubscribes without signing in. Possession of the e-mail is the
 * authorization.
 */
export function unsubscribeUrl({ encryption, externalUrl }: Services, subscription: Subscription): string {
  // The URL is in a header, which is a single line of at most 998 bytes.
  const characters = [...subscription.named];
  const named = characters.length > longestName ? `${characters.slice(0, longestName).join('')}…` : subscription.named;
  const secret = subscriptions.seal(encryption, { ...subscription, named });
  return `${externalUrl}/-/sent_notifications/${encodeURIComponent(secret)}/unsubscribe`;
}

const invalid: SmallPage = {
  status: 404,
  title: 'The link is invalid',
  says: 'Copy the complete link from the email.',
};

async function ask(services: Services, secret: string): Promise<SmallPage> {
  const found = subscriptions.open(services.encryption, secret);
  if (!found) return invalid;
  return { title: 'Unsubscribe', says: `No more emails about ${found.named}?`, button: 'Unsubscribe' };
}

async function unsubscribe(services: Services, secret: string): Promise<SmallPage> {
  const found = subscriptions.open(services.encryption, secret);
  if (!found) return invalid;
  const { userId, type, id, projectId, namespaceId = null, named } = found;
  const done = await services.db.write(async (trx) => {
    if (!(await isPresent(trx, userId, type, id))) return false;
    await setSubscription(trx, userId, { type, id, project_id: projectId, namespace_id: namespaceId }, false);
    return true;
  });
  return done ? { title: 'You are unsubscribed', says: `You will get no more emails about ${named}.` } : invalid;
}

export async function serveUnsubscribing(app: FastifyInstance, services: Services): Promise<void> {
  const secretOf = ({ params }: FastifyRequest) => (params as { readonly key: string }).key;
  await serveEmailLink(app, '/-/sent_notifications/:key/unsubscribe', secretOf, {
    ask: (secret) => ask(services, secret),
    act: (secret) => unsubscribe(services, secret),
  });
}
