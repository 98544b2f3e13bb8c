import { adminScopes } from '../../access/credentials/scopes.ts';
import { lengthProblem } from '../../platform/http/parameters/too-long.ts';

const longest = 255;

export interface TokenRequest {
  readonly name: string;
  readonly description?: string | null | undefined;
  readonly scopes: readonly string[];
}

/** Validates a token request; returns errors by attribute. `forAdmin`: the token will act for an administrator. */
export function tokenProblems(wish: TokenRequest, forAdmin: boolean): Record<string, string[]> {
  const problems: Record<string, string[]> = {};
  const name = wish.name.trim() === '' ? "can't be blank" : lengthProblem(wish.name, longest);
  if (name !== undefined) problems.name = [name];
  const description = lengthProblem(wish.description ?? '', longest);
  if (description !== undefined) problems.description = [description];
  if (wish.scopes.length === 0) problems.scopes = ["can't be blank"];
  else if (!forAdmin && wish.scopes.some((scope) => adminScopes.has(scope))) {
    problems.scopes = ['can only contain available scopes'];
  }
  return problems;
}

/** Joins errors into one sentence: `Name can't be blank and Scopes can't be blank`. */
export function asSentence(problems: Readonly<Record<string, readonly string[]>>): string {
  const texts = Object.entries(problems).flatMap(([key, list]) =>
    list.map((text) => `${key.charAt(0).toUpperCase()}${key.slice(1)} ${text}`),
  );
  return texts.length <= 2 ? texts.join(' and ') : `${texts.slice(0, -1).join(', ')}, and ${texts.at(-1)}`;
}
