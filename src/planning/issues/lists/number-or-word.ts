import { type Param, param } from '../../../platform/http/params.ts';

/** A parameter that accepts a number or certain keywords; other values are rejected with GitLab's message. */
export const numberOr = (words: string, largest = Number.MAX_SAFE_INTEGER): Param<number, 'optional'> => ({
  ...param.integer(),
  read: (raw, name, problems) => {
    if (raw === '' || raw === null) return undefined;
    const isNumber = /^\d{1,15}$/.test(String(raw));
    if (isNumber && Number(raw) <= largest) return Number(raw);
    problems.push(
      isNumber ? `${name} is invalid` : `${name} should be an integer, ${words}, however got ${String(raw)}`,
    );
    return undefined;
  },
});

/** A number, `none` or `any`. */
export const numberOrWord = numberOr('none, or any');
