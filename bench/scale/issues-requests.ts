import type { BenchRequest } from './measure.ts';

/** Lookups that the requests need, by name of the place's group. */
interface Known {
  readonly epics: (place: string) => number;
  readonly issues: (place: string) => number;
  readonly firstUser: number;
}

const orders = [
  'created_at',
  'due_date',
  'label_priority',
  'milestone_due',
  'popularity',
  'priority',
  'relative_position',
  'title',
  'updated_at',
  'weight',
] as const;

const directions = ['asc', 'desc'] as const;

const day = 86_400_000;
const now = Date.now();
const ago = (days: number) => new Date(now - days * day).toISOString();

/**
 * The documented filters, each with several values. For filters that match few rows in the small place, the page size
 * is limited so that both places return the same number of rows: comparing a page of twenty with one of two would
 * measure serialization.
 */
function filters({ epics, firstUser }: Known): Readonly<Record<string, (n: number, place: string) => string>> {
  return {
    'no filter': (n) => `per_page=${20 + n}`,
    state: (n) => `state=${n % 2 === 0 ? 'opened' : 'closed'}&per_page=${20 + n}`,
    'assignee_id of one': (n) => `assignee_id=${firstUser + n + 1}`,
    'assignee_id=None': (n) => `assignee_id=None&per_page=${20 + n}`,
    'assignee_id=Any': (n) => `assignee_id=Any&per_page=${20 + n}`,
    assignee_username: (n) => `assignee_username=writer${n + 1}`,
    author_id: (n) => `author_id=${firstUser + n}`,
    author_username: (n) => `author_username=writer${n}`,
    closed_by_id: (n) => `closed_by_id=${firstUser + (n % 7)}`,
    confidential: (n) => `confidential=true&per_page=${20 + n}`,
    created_after: (n) => `created_after=${ago(60 + n)}`,
    created_before: (n) => `created_before=${ago(30 + n)}`,
    updated_after: (n) => `updated_after=${ago(5 + n)}`,
    'due_date=0': (n) => `due_date=0&per_page=${20 + n}`,
    'due_date=any': (n) => `due_date=any&per_page=${20 + n}`,
    'due_date=today': (n) => `due_date=today&per_page=${2 + n}`,
    'due_date=overdue': (n) => `due_date=overdue&per_page=${20 + n}`,
    'due_date=week': (n) => `due_date=week&per_page=${20 + n}`,
    'due_date=month': (n) => `due_date=month&per_page=${20 + n}`,
    'due_date=next_month_and_previous_two_weeks': (n) =>
      `due_date=next_month_and_previous_two_weeks&per_page=${20 + n}`,
    'epic_id of one': (n, place) => `epic_id=${epics(place) + n}`,
    'epic_id=None': (n) => `epic_id=None&per_page=${20 + n}`,
    health_status: (n) => `health_status=at_risk&per_page=${20 + n}`,
    iids: (n) => `iids[]=${n + 1}&iids[]=${n + 500}&iids[]=${n + 2000}`,
    issue_type: (n) => `issue_type=${n % 2 === 0 ? 'incident' : 'task'}&per_page=${20 + n}`,
    'issue_type without any': (n) => `issue_type=test_case&per_page=${20 + n}`,
    iteration_id: (n) => `iteration_id=Current&per_page=${20 + n}`,
    'one label': (n) => `labels=label${n + 20}`,
    'three labels': (n) => `labels=label${n + 1},label${n + 7},label${n + 31}&per_page=2`,
    'two labels': (n) => `labels=label${n},label${n + 1}&per_page=2`,
    'two labels that many have': (n) => `labels=half,label${n + 20}`,
    'a label of the oldest': (n) => `labels=oldest&per_page=${20 + n}`,
    'a label of half of all': (n) => `labels=half&per_page=${20 + n}`,
    'labels=None': (n) => `labels=None&per_page=${20 + n}`,
    'labels=Any': (n) => `labels=Any&per_page=${20 + n}`,
    'an unknown label': (n) => `labels=unknown${n}`,
    milestone: (n) => `milestone=milestone${n}`,
    'milestone_id=None': (n) => `milestone_id=None&per_page=${20 + n}`,
    'milestone_id=Upcoming': (n) => `milestone_id=Upcoming&per_page=${20 + n}`,
    'milestone_id=Started': (n) => `milestone_id=Started&per_page=${20 + n}`,
    'my_reaction_emoji=Any': (n) => `my_reaction_emoji=Any&per_page=${20 + n}`,
    'my_reaction_emoji of none': (n) => `my_reaction_emoji=thumbsdown&per_page=${20 + n}`,
    'not[labels]': (n) => `not[labels]=label${n}`,
    'not[author_id]': (n) => `not[author_id]=${firstUser + n}`,
    'not[milestone]': (n) => `not[milestone]=milestone${n}`,
    'scope=assigned_to_me': (n) => `scope=assigned_to_me&per_page=${20 + n}`,
    'scope=created_by_me': (n) => `scope=created_by_me&per_page=${20 + n}`,
    'search for a rare word': (n) => `search=number${n + 12}`,
    'search for a common word': (n) => `search=happens&per_page=${20 + n}`,
    'search for two words': (n) => `search=room%20${n + 100}&per_page=${2 + n}`,
    'search in titles': (n) => `search=${n + 10}th&in=title`,
    'search in titles for what a hundred have': (n, place) =>
      `search=${place === 'small' ? '' : '43'}${n + 10}th&in=title`,
    'search for nothing that is there': (n) => `search=absent${n}`,
    'weight of one': (n) => `weight=${n % 9}&per_page=${20 + n}`,
    'weight=None': (n) => `weight=None&per_page=${20 + n}`,
    with_labels_details: (n) => `with_labels_details=true&per_page=${20 + n}`,
  };
}

/** Three URLs of a kind per round. */
const three = (make: (n: number) => string) => (round: number) => [0, 1, 2].map((n) => make(round * 3 + n));

/** Page 1 of every filter and order, in a project and in a group; deep pages; and related objects of issues. */
export function requestsFor(known: Known): BenchRequest[] {
  const inProject = (place: string) => `/projects/${place}%2Fit/issues`;
  const inGroup = (place: string) => `/groups/${place}/issues`;
  const requests: BenchRequest[] = [];
  const ask = (name: string, make: (n: number, place: string) => string) =>
    requests.push({ name, paths: (place, round) => three((n) => make(n, place))(round) });
  for (const [name, query] of Object.entries(filters(known))) {
    ask(`project: ${name}`, (n, place) => `${inProject(place)}?${query(n, place)}`);
  }
  for (const order of orders) {
    for (const sort of directions) {
      ask(
        `project: by ${order} ${sort}`,
        (n, place) => `${inProject(place)}?order_by=${order}&sort=${sort}&per_page=${20 + n}`,
      );
    }
    ask(`project: a label by ${order}`, (n, place) => `${inProject(place)}?order_by=${order}&labels=label${n + 20}`);
    ask(
      `project: opened by ${order}`,
      (n, place) => `${inProject(place)}?order_by=${order}&state=opened&per_page=${20 + n}`,
    );
  }
  for (const [name, query] of Object.entries(filters(known))) {
    ask(`group: ${name}`, (n, place) => `${inGroup(place)}?${query(n, place)}`);
  }
  for (const order of orders) {
    ask(`group: by ${order}`, (n, place) => `${inGroup(place)}?order_by=${order}&per_page=${20 + n}`);
  }
  ask('project: page 5', (n, place) => `${inProject(place)}?page=5&per_page=${20 + n}`);
  ask('project: after a keyset in the middle', (n, place) => {
    const position = { created_at: now - (45 + n) * day, id: known.issues(place), _kd: 'n' };
    const cursor = Buffer.from(JSON.stringify(position)).toString('base64url');
    return `${inProject(place)}?pagination=keyset&order_by=created_at&cursor=${cursor}`;
  });
  const iid = (n: number, place: string) => Math.floor(known.issues(place) / 2) + n * 5 + 1;
  ask('one issue', (n, place) => `${inProject(place)}/${iid(n, place)}`);
  ask('notes of an issue', (n, place) => `${inProject(place)}/${iid(n, place)}/notes`);
  ask('discussions of an issue', (n, place) => `${inProject(place)}/${iid(n, place)}/discussions`);
  ask('the project', (n, place) => `/projects/${place}%2Fit?unused=${n}`);
  ask(
    'search scope issues',
    (n, place) => `/projects/${place}%2Fit/search?scope=issues&search=number${n + 999}&per_page=1`,
  );
  ask(
    'search scope notes',
    (n, place) => `/projects/${place}%2Fit/search?scope=notes&search=place%20${n + 999}&per_page=2`,
  );
  return requests;
}
