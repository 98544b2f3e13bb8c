import { tooLong } from '../../platform/http/parameters/too-long.ts';

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

/** Users by the names that an application has for them: none twice, none endless. */
export function userIdsProblem(text: unknown, field: string): string | undefined {
  const ids = typeof text === 'string' ? text.split(',').map((id) => id.trim()) : [''];
  const sound = ids.every((id) => id !== '' && id.length <= 256) && new Set(ids).size === ids.length;
  return sound ? undefined : `${field} must be a string of unique comma separated values each 256 characters or less`;
}

type Check = (value: unknown) => string | undefined;

const part =
  (name: string): Check =>
  (value) =>
    isText(value, percentage) ? undefined : `${name} must be a string between 0 and 100 inclusive`;
const groupId: Check = (value) => (isText(value, group) ? undefined : 'groupId parameter is invalid');

/** The parameters of each strategy: all of them, and no others. */
const checks: Readonly<Record<StrategyName, Readonly<Record<string, Check>>>> = {
  default: {},
  gitlabUserList: {},
  userWithId: { userIds: (value) => userIdsProblem(value, 'userIds') },
  gradualRolloutUserId: { groupId, percentage: part('percentage') },
  flexibleRollout: {
    groupId,
    rollout: part('rollout'),
    stickiness: (value) =>
      stickiness.includes(String(value))
        ? undefined
        : `stickiness parameter must be ${stickiness.slice(0, -1).join(', ')}, or ${stickiness.at(-1)}`,
  },
};

/** What is wrong with the parameters of a strategy. */
export function parameterProblems(name: StrategyName, parameters: Parameters): string[] {
  const expected = checks[name];
  const [given, known] = [Object.keys(parameters), Object.keys(expected)];
  if (given.length !== known.length || known.some((key) => !given.includes(key))) return ['parameters are invalid'];
  return known.flatMap((key) => expected[key]?.(parameters[key]) ?? []);
}

const flagName = /^[a-z]([-_a-z0-9]*[a-z0-9])?$/;

/** What is wrong with the name of a flag. */
export function nameProblems(name: string): string[] {
  if (name === '') return ["Name can't be blank"];
  const found: string[] = [];
  if ([...name].length < 2) found.push('Name is too short (minimum is 2 characters)');
  const long = tooLong(name, 63);
  if (long !== undefined) found.push(`Name ${long}`);
  if (!flagName.test(name)) {
    const rule = "lowercase letters, digits, '_' and '-'. Must start with a letter, and cannot end with '-' or '_'";
    found.push(`Name can contain only ${rule}`);
  }
  return found;
}

const scopePattern = /^[\w\-/${}. *]+$/;

/** What is wrong with the environment that a strategy applies to. */
export function scopeProblem(scope: string): string | undefined {
  const long = tooLong(scope, 255);
  if (long !== undefined) return long;
  return scopePattern.test(scope)
    ? undefined
    : "can contain only letters, digits, '-', '_', '/', '$', '{', '}', '.', '*' and spaces";
}
