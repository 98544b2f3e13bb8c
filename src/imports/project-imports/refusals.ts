import type { SignedInActor } from '../../access/actor.ts';
import type { Services } from '../../access/services.ts';
import { EgressRefused } from '../../platform/egress/client.ts';
import { HttpError, TooManyRequests } from '../../platform/http/errors.ts';
import { projectProblem } from './service.ts';

/** Creates an error in the format of an endpoint. */
export type ErrorFormat = (status: number, text: string) => HttpError;

/** Timeout for requests to another host while a caller waits. */
export const lookUpMs = 10_000;

const lookUpsPerMinute = { count: 30, period: 60_000 };

/** Rate limits requests to other hosts that a user triggers while browsing repositories. */
export async function limitLookUps({ limits }: Services, caller: SignedInActor): Promise<void> {
  const { exceeded } = await limits.count('import_look_up', caller.user.id, lookUpsPerMinute);
  if (exceeded) throw new TooManyRequests();
}

/** Error format of Bitbucket imports. */
export const messageErrorFormat: ErrorFormat = (status, error) => new HttpError(status, { message: { error } });

/** Converts errors of project creation to the format of an endpoint. */
export function formatProjectError(refuse: ErrorFormat): (error: unknown) => never {
  return (error) => {
    const problem = projectProblem(error);
    throw problem === undefined ? error : refuse(422, problem);
  };
}

/** Validates the URL of another host: it must be allowed, and contain no credentials. */
export async function checkedHost({ egress }: Services, text: string, refuse: ErrorFormat): Promise<URL> {
  try {
    const { url } = await egress.checkUrl(text);
    if (url.username === '' && url.password === '') return url;
    throw new EgressRefused('credentials are not allowed in the URL');
  } catch (error) {
    throw error instanceof EgressRefused ? refuse(400, `Invalid URL: ${error.message}`) : error;
  }
}
