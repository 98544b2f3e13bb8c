import type { SignedInActor } from '../../access/actor.ts';
import type { Services } from '../../access/services.ts';
import { EgressRefused } from '../../platform/egress/client.ts';
import { HttpError, TooManyRequests } from '../../platform/http/errors.ts';
import { projectProblem } from './service.ts';

/** How an endpoint words what it refuses. */
export type Refusal = (status: number, text: string) => HttpError;

/** So long somebody waits for what another host says while a call is open. */
export const lookUpMs = 10_000;

const lookUpsPerMinute = { count: 30, period: 60_000 };

/** Counts what somebody has another host asked for while they look around there. */
export async function countLookUp({ limits }: Services, caller: SignedInActor): Promise<void> {
  const { exceeded } = await limits.count('import_look_up', caller.user.id, lookUpsPerMinute);
  if (exceeded) throw new TooManyRequests();
}

/** What hostb and its server are refused with. */
export const messageRefusal: Refusal = (status, error) => new HttpError(status, { message: { error } });

/** Words what is wrong with the project that was to be made. */
export function projectRefusedAs(refuse: Refusal): (error: unknown) => never {
  return (error) => {
    const problem = projectProblem(error);
    throw problem === undefined ? error : refuse(422, problem);
  };
}

/** The address of another host as somebody sent it: one that may be reached, and without credentials. */
export async function checkedHost({ egress }: Services, text: string, refuse: Refusal): Promise<URL> {
  try {
    const { url } = await egress.checkUrl(text);
    if (url.username === '' && url.password === '') return url;
    throw new EgressRefused('credentials do not belong there');
  } catch (error) {
    throw error instanceof EgressRefused ? refuse(400, `Invalid URL: ${error.message}`) : error;
  }
}
