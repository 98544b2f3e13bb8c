import type { Actor } from '../../access/actor.ts';
import type { ProjectOrGroup } from '../../access/project-or-group.ts';
import type { Services } from '../../access/services.ts';
import { type GroupSubject, readableGroup } from '../../access/subjects.ts';
import { listIssues } from '../../planning/issues/public.ts';
import type { Reader } from '../../platform/database/database.ts';
import type { PageRequest } from '../../platform/http/pages/pagination.ts';
import { listRequests } from '../merge-requests/public.ts';
import { dayLength, type Metric, type MetricQuestion, readQuestion } from './rules.ts';
import type { MetricParams, MetricValue } from './schema.ts';
import * as store from './store.ts';

type Values = (place: number) => number | null;

/** Computes each metric and defines its value for intervals without data. */
const computeMetric: Readonly<
  Record<Metric, (db: Reader, place: ProjectOrGroup, question: MetricQuestion) => Promise<Values>>
> = {
  deployment_frequency: async (db, place, question) => {
    const deployed = await store.deployments(db, place, question);
    return (bucket) => deployed.get(bucket) ?? 0;
  },
  lead_time_for_changes: async (db, place, question) => {
    const times = await store.leadTimes(db, place, question);
    return (bucket) => times.get(bucket) ?? null;
  },
  time_to_restore_service: async (db, place, question) => {
    const times = await store.restoreTimes(db, place, question);
    return (bucket) => times.get(bucket) ?? null;
  },
  change_failure_rate: async (db, place, question) => {
    const deployed = await store.deployments(db, place, question);
    const failed = await store.incidents(db, place, question);
    return (bucket) => (failed.get(bucket) ?? 0) / Math.max(deployed.get(bucket) ?? 0, 1);
  },
};

/** DORA metric of a project or of all projects of a group. */
export async function deliveryMetric(
  { db }: Services,
  place: ProjectOrGroup,
  params: MetricParams,
): Promise<MetricValue[]> {
  const question = readQuestion(params, Date.now());
  const numberOf = await computeMetric[question.metric](db.read, place, question);
  return question.buckets.map(({ date }, index) => ({ date, value: numberOf(index) }));
}

/** Period that counts as recent, and maximum count. */
const recent = 90 * dayLength;
const maxCounted = 1000;
const one: PageRequest = { page: 1, perPage: 1, offset: 0 };
const newest = {
  order_by: 'created_at',
  sort: 'desc',
  scope: 'all',
  with_labels_details: false,
  non_archived: true,
} as const;

type Counter = (services: Services, caller: Actor, group: GroupSubject, since: number) => Promise<number>;

const activity = {
  issues: async (services, caller, group, since) => {
    const page = await listIssues(services, caller, group, { ...newest, created_after: since }, one);
    return 'total' in page ? (page.total ?? 0) : 0;
  },
  merge_requests: async (services, caller, group, since) => {
    const asked = { ...newest, created_after: since, render_html: false, with_merge_status_recheck: false };
    return (await listRequests(services, caller, group, asked, one)).total ?? 0;
  },
  new_members: ({ db }, _caller, { group }, since) => store.membersSince(db.read, group.id, since, maxCounted),
} satisfies Record<string, Counter>;
export type Activity = keyof typeof activity;

/** Number of recent items in a group that the caller may read. */
export async function recentActivity(services: Services, caller: Actor, path: string, what: Activity): Promise<number> {
  const group = await readableGroup(services.db, caller, path);
  return Math.min(await activity[what](services, caller, group, Date.now() - recent), maxCounted);
}
