import { type Param, param } from '../../../platform/http/params.ts';

/** A number of a user, and the refusal of anything else in the words of the documents. */
export const userNumber: Param<number, 'optional'> = {
  ...param.integer(),
  read: (raw, name, problems) => {
    if (raw === '') return undefined;
    if (/^\d{1,15}$/.test(String(raw))) return Number(raw);
    problems.push(`${name} should be an integer, none, or any, however got ${String(raw)}`);
    return undefined;
  },
};
