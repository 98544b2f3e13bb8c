import Type from 'typebox';
import type { Reader, Writer } from '../../platform/database/database.ts';
import { statement } from '../../platform/database/statement.ts';
import { storedJson } from '../../platform/stored-json.ts';

const gibibyte = 1024 ** 3;
const mebibyte = 1024 ** 2;

/** The default plan limits. */
export const defaultLimits = {
  ci_instance_level_variables: 25,
  /** Jobs per pipeline; 0 for unlimited. */
  ci_pipeline_size: 0,
  /** Unfinished jobs per project; 0 for unlimited. */
  ci_active_jobs: 0,
  ci_project_subscriptions: 2,
  ci_pipeline_schedules: 10,
  ci_needs_size_limit: 50,
  ci_registered_group_runners: 1000,
  ci_registered_project_runners: 1000,
  dotenv_size: 5120,
  dotenv_variables: 20,
  conan_max_file_size: 3 * gibibyte,
  enforcement_limit: 0,
  generic_packages_max_file_size: 5 * gibibyte,
  helm_max_file_size: 5 * mebibyte,
  maven_max_file_size: 3 * gibibyte,
  notification_limit: 0,
  npm_max_file_size: 500 * mebibyte,
  nuget_max_file_size: 500 * mebibyte,
  pipeline_hierarchy_size: 1000,
  pypi_max_file_size: 3 * gibibyte,
  storage_size_limit: 0,
  terraform_module_max_file_size: gibibyte,
};

export type LimitName = keyof typeof defaultLimits;
export type PlanLimits = Readonly<Record<LimitName, number>>;
export const limitNames = Object.keys(defaultLimits) as LimitName[];

/** Stored for API compatibility: the limited features do not exist here. */
export const limitsWithoutEffect: readonly LimitName[] = [
  'ci_project_subscriptions',
  'enforcement_limit',
  'notification_limit',
  'storage_size_limit',
];

const Change = Type.Object({
  user_id: Type.Integer(),
  username: Type.String(),
  timestamp: Type.Integer(),
  value: Type.Integer(),
});
export const LimitsHistory = Type.Record(Type.String(), Type.Array(Change));
const Stored = Type.Object({
  limits: Type.Optional(Type.Record(Type.String(), Type.Integer())),
  history: Type.Optional(LimitsHistory),
});

export interface StoredLimits {
  readonly limits: PlanLimits;
  /** The most recent changes, by the name of the limit. */
  readonly history: Type.Static<typeof LimitsHistory>;
}

const readStored = storedJson(Stored);

function parseStored(text: string): StoredLimits {
  const { limits = {}, history = {} } = readStored(text);
  return { limits: { ...defaultLimits, ...limits }, history };
}

const row = statement((db) => db.selectFrom('application_settings').select('plan_limits').where('id', '=', 1), {
  cached: true,
});

export async function readLimits(db: Reader): Promise<StoredLimits> {
  return parseStored((await row.first(db, {}))?.plan_limits ?? '{}');
}

/** The current limits. */
export async function planLimits(db: Reader): Promise<PlanLimits> {
  return (await readLimits(db)).limits;
}

/** Changes the limits. A concurrent change waits, and then sees the first one. */
export async function changeLimits(trx: Writer, change: (before: StoredLimits) => StoredLimits): Promise<StoredLimits> {
  const locked = await trx
    .updateTable('application_settings')
    .set({ updated_at: Date.now() })
    .where('id', '=', 1)
    .returning('plan_limits')
    .executeTakeFirstOrThrow();
  const after = change(parseStored(locked.plan_limits));
  const limits = Object.fromEntries(
    limitNames.flatMap((name) => (after.limits[name] === defaultLimits[name] ? [] : [[name, after.limits[name]]])),
  );
  await trx
    .updateTable('application_settings')
    .set({ plan_limits: JSON.stringify({ limits, history: after.history }) })
    .where('id', '=', 1)
    .execute();
  return after;
}
