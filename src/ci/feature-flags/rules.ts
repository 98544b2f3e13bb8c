import { lengthProblem } from '../../platform/http/parameters/too-long.ts';

export const strategyNames = [
  'default',
  'gradualRolloutUserId',
  'flexibleRollout',
  'userWithId',
  'gitlabUserList',
] as const;
export type StrategyName = (typeof strategyNames)[number];
export type Parameters = Readonly<Record<string, unknown>>;

const percentage = /^(?:[1-9]?[0-9]|100)$/;
const group = /^[a-z]{1,32}$/;
const stickiness = ['default', 'userId', 'sessionId', 'random'];

const isText = (value: unknown, pattern: RegExp) => typeof value === 'string' && pattern.test(value);

/** Validates a comma-separated list of user IDs as defined by the application: unique, with limited length. */
export function userIdsProblem(text: unknown, field: string): string | undefined {
  const ids = typeof text === 'string' ? text.split(',').map((id) => id.trim()) : [''];
  const isValid = ids.every((id) => id !== '' && id.length <= 256) && new Set(ids).size === ids.length;
  return isValid ? undefined : `${field} must be a string of unique comma separated values each 256 characters or less`;
}

type Check = (value: unknown) => string | undefined;

const percentageCheck =
  (name: string): Check =>
  (value) =>
    isText(value, percentage) ? undefined : `${name} must be a string between 0 and 100 inclusive`;
const groupId: Check = (value) => (isText(value, group) ? undefined : 'groupId parameter is invalid');

/** Validators of each strategy's parameters. All parameters are required and no others are allowed. */
const checks: Readonly<Record<StrategyName, Readonly<Record<string, Check>>>> = {
  default: {},
  gitlabUserList: {},
  userWithId: { userIds: (value) => userIdsProblem(value, 'userIds') },
  gradualRolloutUserId: { groupId, percentage: percentageCheck('percentage') },
  flexibleRollout: {
    groupId,
    rollout: percentageCheck('rollout'),
    stickiness: (value) =>
      stickiness.includes(String(value))
        ? undefined
        : `stickiness parameter must be ${stickiness.slice(0, -1).join(', ')}, or ${stickiness.at(-1)}`,
  },
};

/** Returns the validation errors of strategy parameters. */
export function parameterProblems(name: StrategyName, parameters: Parameters): string[] {
  const expected = checks[name];
  const [keys, expectedKeys] = [Object.keys(parameters), Object.keys(expected)];
  if (keys.length !== expectedKeys.length || expectedKeys.some((key) => !keys.includes(key)))
    return ['parameters are invalid'];
  return expectedKeys.flatMap((key) => expected[key]?.(parameters[key]) ?? []);
}

const flagName = /^[a-z]([-_a-z0-9]*[a-z0-9])?$/;

/** Returns the validation errors of a flag name. */
export function nameProblems(name: string): string[] {
  if (name === '') return ["Name can't be blank"];
  const found: string[] = [];
  if ([...name].length < 2) found.push('Name is too short (minimum is 2 characters)');
  const lengthError = lengthProblem(name, 63);
  if (lengthError !== undefined) found.push(`Name ${lengthError}`);
  if (!flagName.test(name)) {
    const rule = "lowercase letters, digits, '_' and '-'. Must start with a letter, and cannot end with '-' or '_'";
    found.push(`Name can contain only ${rule}`);
  }
  return found;
}

const scopePattern = /^[\w\-/${}. *]+$/;

/** Returns the validation error of an environment scope, if any. */
export function scopeProblem(scope: string): string | undefined {
  const lengthError = lengthProblem(scope, 255);
  if (lengthError !== undefined) return lengthError;
  return scopePattern.test(scope)
    ? undefined
    : "can contain only letters, digits, '-', '_', '/', '$', '{', '}', '.', '*' and spaces";
}
