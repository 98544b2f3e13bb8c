import { GraphQLError } from 'graphql';
import { HttpError } from '../../platform/http/errors.ts';
import { type ApiAnswer, errorMessagesIn } from '../../platform/http/in-process.ts';

const hidden =
  "The resource that you are attempting to access does not exist or you don't have permission to perform this action";

/** The error for objects that do not exist or that the caller may not see or change. */
export const notAvailable = () => new GraphQLError(hidden);

const hiddenStatuses: ReadonlySet<number> = new Set([301, 302, 307, 308, 401, 403, 404]);

/** Whether the object is missing, moved or not accessible to the caller; which of these is not revealed. */
export const isHidden = ({ status }: ApiAnswer) => hiddenStatuses.has(status);

/** The error for a failed API call, with its message. */
export function failureOf(answer: ApiAnswer): GraphQLError {
  if (answer.status >= 500 && answer.status !== 503) return new GraphQLError('Internal server error');
  const reason = typeof answer.body === 'string' ? answer.body.trim() : errorMessagesIn(answer.body).join('; ');
  return new GraphQLError(reason === '' ? `The request was rejected with status ${answer.status}` : reason);
}

const capitalized = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

/** Simplifies messages in Ruby notation: `Bad request - Note {:note=>["can't be blank"]}`. */
function plain(reason: string): string {
  const [, name, texts] = /\{:(\w+)=>\["(.*)"\]\}$/.exec(reason) ?? [];
  return name === undefined ? reason : `${name} ${texts}`;
}

/** The messages of a rejected write, as the `errors` of a mutation. */
export const sentencesOf = ({ body }: ApiAnswer): string[] =>
  errorMessagesIn(body).map((reason) => capitalized(plain(reason)));

/**
 * The only element of a list argument. The API filters by one value, and ignoring the others would return wrong
 * results.
 */
export function onlyOne(name: string, given: readonly string[] | null | undefined): string | undefined {
  if (given && given.length > 1) throw new GraphQLError(`\`${name}\` accepts only one value`);
  return given?.[0];
}

/** The error that a client may see; undefined for unexpected errors, which are only logged. */
export function visibleError(error: GraphQLError): GraphQLError | undefined {
  const { originalError } = error;
  if (originalError === undefined || originalError instanceof GraphQLError) return error;
  if (originalError instanceof HttpError && originalError.status < 500) return error;
  return undefined;
}
