import { Invalid, ParameterError } from '../../platform/http/errors.ts';

export const maxInputs = 20;

export const tooManyInputs = `There cannot be more than ${maxInputs} inputs`;

/** Validates the inputs given for a pipeline. */
export function readInputs(sent: unknown): Readonly<Record<string, unknown>> {
  if (sent === undefined || sent === null) return {};
  if (typeof sent !== 'object' || Array.isArray(sent)) throw new ParameterError('inputs is invalid');
  if (Object.keys(sent).length > maxInputs) throw new Invalid({ base: [tooManyInputs] });
  return { ...sent };
}
