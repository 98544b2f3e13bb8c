import type { BenchRequest } from './measure.ts';

const orders = [
  'created_at',
  'updated_at',
  'merged_at',
  'title',
  'priority',
  'label_priority',
  'milestone_due',
  'popularity',
];
const states = ['opened', 'merged', 'all'];

const minute = 60_000;
const now = Date.now();

/** The documented filters, each with several values; `minutes` is the age of the place's oldest merge request. */
function filters(firstUser: number, minutes: number): Readonly<Record<string, (n: number) => string>> {
  // A time at the same share of both places, so that neither result is empty.
  const ago = (hundredths: number) => new Date(now - (minutes * minute * hundredths) / 100).toISOString();
  return {
    'no filter': (n) => `per_page=${20 + n}`,
    'approved_by_ids of one': (n) => `approved_by_ids[]=${firstUser + n}`,
    'approved_by_ids=None': (n) => `approved_by_ids=None&per_page=${20 + n}`,
    'approved_by_ids=Any': (n) => `approved_by_ids=Any&per_page=${20 + n}`,
    approved_by_usernames: (n) => `approved_by_usernames[]=writer${n}`,
    'approver_ids of one': (n) => `approver_ids[]=${firstUser + n}`,
    'approver_ids=None': (n) => `approver_ids=None&per_page=${20 + n}`,
    'assignee_id of one': (n) => `assignee_id=${firstUser + n}`,
    'assignee_id=None': (n) => `assignee_id=None&per_page=${20 + n}`,
    'assignee_id=Any': (n) => `assignee_id=Any&per_page=${20 + n}`,
    assignee_username: (n) => `assignee_username[]=writer${n}`,
    author_id: (n) => `author_id=${firstUser + n}`,
    author_username: (n) => `author_username=writer${n}`,
    created_after: (n) => `created_after=${ago(30 + n)}`,
    created_before: (n) => `created_before=${ago(30 + n)}`,
    updated_after: (n) => `updated_after=${ago(30 + n)}`,
    updated_before: (n) => `updated_before=${ago(30 + n)}`,
    deployed_after: (n) => `deployed_after=${ago(30 + n)}`,
    deployed_before: (n) => `deployed_before=${ago(30 + n)}`,
    environment: (n) => `environment=place${n % 5}&per_page=${20 + n}`,
    'environment without any': (n) => `environment=nowhere${n}`,
    'one label': (n) => `labels=label${n}`,
    'two labels': (n) => `labels=label${n},label${n + 1}`,
    'labels=None': (n) => `labels=None&per_page=${20 + n}`,
    'labels=Any': (n) => `labels=Any&per_page=${20 + n}`,
    merge_user_id: (n) => `merge_user_id=${firstUser + n}`,
    merge_user_username: (n) => `merge_user_username=writer${n}`,
    milestone: (n) => `milestone=milestone${n}`,
    'milestone=None': (n) => `milestone=None&per_page=${20 + n}`,
    'milestone=Any': (n) => `milestone=Any&per_page=${20 + n}`,
    'milestone=Upcoming': (n) => `milestone=Upcoming&per_page=${20 + n}`,
    'milestone=Started': (n) => `milestone=Started&per_page=${20 + n}`,
    'my_reaction_emoji=Any': (n) => `my_reaction_emoji=Any&per_page=${20 + n}`,
    'my_reaction_emoji=None': (n) => `my_reaction_emoji=None&per_page=${20 + n}`,
    'my_reaction_emoji of one': (n) => `my_reaction_emoji=rocket&per_page=${20 + n}`,
    'not[assignee_id]': (n) => `not[assignee_id]=${firstUser + n}`,
    'not[author_id]': (n) => `not[author_id]=${firstUser + n}`,
    'not[labels]': (n) => `not[labels]=label${n}`,
    'not[milestone]': (n) => `not[milestone]=milestone${n}`,
    'not[my_reaction_emoji]': (n) => `not[my_reaction_emoji]=rocket&per_page=${20 + n}`,
    'not[reviewer_id]': (n) => `not[reviewer_id]=${firstUser + n}`,
    render_html: (n) => `render_html=true&per_page=${20 + n}`,
    'reviewer_id of one': (n) => `reviewer_id=${firstUser + n}`,
    'reviewer_id=None': (n) => `reviewer_id=None&per_page=${20 + n}`,
    reviewer_username: (n) => `reviewer_username=writer${n}`,
    'scope=assigned_to_me': (n) => `scope=assigned_to_me&per_page=${20 + n}`,
    'scope=created_by_me': (n) => `scope=created_by_me&per_page=${20 + n}`,
    'scope=reviews_for_me': (n) => `scope=reviews_for_me&per_page=${20 + n}`,
    'search for a common word': (n) => `search=Change&per_page=${20 + n}`,
    'search for a rare word': (n) => `search=number${n + 300}`,
    'search for nothing that is there': (n) => `search=absent${n}`,
    'search in titles': (n) => `search=number${n + 400}&in=title`,
    source_branch: (n) => `source_branch=topic-${n + 1}`,
    source_project_id: (n) => `source_project_id=${firstUser + 1_000_000 + n}`,
    target_branch: (n) => `target_branch=stable&per_page=${20 + n}`,
    view: (n) => `view=simple&per_page=${70 + n}`,
    'wip=yes': (n) => `wip=yes&per_page=${20 + n}`,
    'wip=no': (n) => `wip=no&per_page=${20 + n}`,
    with_labels_details: (n) => `with_labels_details=true&per_page=${20 + n}`,
    with_merge_status_recheck: (n) => `with_merge_status_recheck=true&per_page=${20 + n}`,
  };
}

/** Every filter in every state, every order, and other requests for merge requests, in a project and in a group. */
export function requestsFor(firstUser: number, sizes: Readonly<Record<string, number>>): BenchRequest[] {
  const requests: BenchRequest[] = [];
  const ask = (name: string, make: (place: string, n: number) => string) =>
    requests.push({ name, paths: (place, round) => [0, 1, 2].map((n) => make(place, round * 3 + n)) });
  const around = {
    project: (place: string) => `/projects/${place}%2Fit/merge_requests`,
    group: (place: string) => `/groups/${place}/merge_requests`,
  };
  for (const [where, at] of Object.entries(around)) {
    for (const state of states) {
      for (const name of Object.keys(filters(firstUser, 0))) {
        ask(`${where}, ${state}: ${name}`, (place, n) => {
          const query = filters(firstUser, sizes[place] ?? 0)[name];
          return `${at(place)}?state=${state}&${query?.(n)}`;
        });
      }
      for (const order of orders) {
        for (const sort of ['asc', 'desc']) {
          const query = `state=${state}&order_by=${order}&sort=${sort}`;
          ask(`${where}, ${state}: by ${order} ${sort}`, (place, n) => `${at(place)}?${query}&per_page=${20 + n}`);
        }
      }
    }
    ask(`${where}: page 5`, (place, n) => `${at(place)}?page=5&per_page=${20 + n}`);
  }
  ask('one', (place, n) => `${around.project(place)}/${n * 7 + 1}`);
  ask('the project', (place, n) => `/projects/${place}%2Fit?unused=${n}`);
  return requests;
}
