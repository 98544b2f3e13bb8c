import { GraphQLError } from 'graphql';
import { HttpError } from '../../platform/http/errors.ts';
import { type ApiAnswer, reasonsIn } from '../../platform/http/in-process.ts';

const hidden =
  "The resource that you are attempting to access does not exist or you don't have permission to perform this action";

/** What is not there for the caller, or not theirs to change. */
export const notAvailable = () => new GraphQLError(hidden);

const hiding: ReadonlySet<number> = new Set([301, 302, 307, 308, 401, 403, 404]);

/** The caller may not know or do this, or it is not there (under this address no more): which of them is not told. */
export const isHidden = ({ status }: ApiAnswer) => hiding.has(status);

/** The API could not answer: what it says of why. */
export function failureOf(answer: ApiAnswer): GraphQLError {
  if (answer.status >= 500 && answer.status !== 503) return new GraphQLError('Internal server error');
  const said = typeof answer.body === 'string' ? answer.body.trim() : reasonsIn(answer.body).join('; ');
  return new GraphQLError(said === '' ? `The request was refused with ${answer.status}` : said);
}

const capitalized = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

/** The API tells some refusals as Ruby prints them: `Bad request - Note {:note=>["can't be blank"]}`. */
function plain(said: string): string {
  const [, name, texts] = /\{:(\w+)=>\["(.*)"\]\}$/.exec(said) ?? [];
  return name === undefined ? said : `${name} ${texts}`;
}

/** What a write was refused for, as the `errors` of a mutation: sentences about what was sent. */
export const sentencesOf = ({ body }: ApiAnswer): string[] => reasonsIn(body).map((said) => capitalized(plain(said)));

/** The one of what a list names: the API filters by one, and to leave out the others would be a wrong answer. */
export function onlyOne(name: string, given: readonly string[] | null | undefined): string | undefined {
  if (given && given.length > 1) throw new GraphQLError(`\`${name}\` takes one value here`);
  return given?.[0];
}

/** What may be told of an error that a resolver threw; undefined where it is a bug, and nobody's to read. */
export function tellable(error: GraphQLError): GraphQLError | undefined {
  const { originalError } = error;
  if (originalError === undefined || originalError instanceof GraphQLError) return error;
  if (originalError instanceof HttpError && originalError.status < 500) return error;
  return undefined;
}
