import { Unprocessable } from '../../platform/http/errors.ts';
import { lengthProblem } from '../../platform/http/parameters/too-long.ts';

const maxLength = 255;

/** Validates the name or wildcard of a rule. */
export function readPattern(sent: string): string {
  const pattern = sent.trim();
  const problem = pattern === '' ? "can't be blank" : lengthProblem(pattern, maxLength);
  if (problem !== undefined) throw new Unprocessable([`Name ${problem}`]);
  return pattern;
}
