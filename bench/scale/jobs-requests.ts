import type { BenchRequest } from './measure.ts';

/** IDs in a place that requests refer to. */
export interface Numbers {
  readonly runner: number;
  readonly pipelines: readonly number[];
  /** A job with an artifacts archive. */
  readonly job: number;
}

const day = 86_400_000;
const now = Date.now();
const ago = (ms: number) => new Date(now - ms).toISOString();

const jobFilters: Readonly<Record<string, (n: number) => string>> = {
  'no filter': (n) => `per_page=${20 + n}`,
  'page 5': (n) => `page=5&per_page=${20 + n}`,
  keyset: (n) => `pagination=keyset&order_by=id&per_page=${20 + n}`,
  'keyset, oldest first': (n) => `pagination=keyset&order_by=id&sort=asc&per_page=${20 + n}`,
  'oldest first': (n) => `order_by=id&sort=asc&per_page=${20 + n}`,
};

const stateFilters: Readonly<Record<string, (n: number) => string>> = {
  'a common state': (n) => `scope[]=success&per_page=${20 + n}`,
  'a rare state': (n) => `scope[]=running&per_page=${20 + n}`,
  'two rare states': (n) => `scope[]=running&scope[]=manual&per_page=${20 + n}`,
  'a rare and a common state': (n) => `scope[]=running&scope[]=failed&per_page=${20 + n}`,
  'a state that none has': (n) => `scope[]=canceling&scope[]=preparing&per_page=${20 + n}`,
  'a rare state by keyset': (n) => `scope[]=manual&pagination=keyset&per_page=${20 + n}`,
};

const refFilters: Readonly<Record<string, (n: number) => string>> = {
  'a common ref': (n) => `ref=main&per_page=${20 + n}`,
  'a rare ref': (n) => `ref=old&per_page=${20 + n}`,
  'a ref that none has': (n) => `ref=absent${n}`,
  'a common ref and a rare state': (n) => `ref=main&scope[]=running&per_page=${20 + n}`,
};

const pipelineFilters: Readonly<Record<string, (n: number) => string>> = {
  'no filter': (n) => `per_page=${20 + n}`,
  'page 5': (n) => `page=5&per_page=${20 + n}`,
  'scope=running': (n) => `scope=running&per_page=${20 + n}`,
  'scope=pending': (n) => `scope=pending&per_page=${20 + n}`,
  'scope=finished': (n) => `scope=finished&per_page=${20 + n}`,
  'scope=branches': (n) => `scope=branches&per_page=${20 + n}`,
  'scope=tags': (n) => `scope=tags&per_page=${20 + n}`,
  'status=success': (n) => `status=success&per_page=${20 + n}`,
  'status=failed': (n) => `status=failed&per_page=${20 + n}`,
  'status=running': (n) => `status=running&per_page=${20 + n}`,
  'status of none': (n) => `status=scheduled&per_page=${20 + n}`,
  'source=push': (n) => `source=push&per_page=${20 + n}`,
  'source=web': (n) => `source=web&per_page=${20 + n}`,
  'source=schedule': (n) => `source=schedule&per_page=${20 + n}`,
  'source=parent_pipeline': (n) => `source=parent_pipeline&per_page=${20 + n}`,
  'a common ref': (n) => `ref=main&per_page=${20 + n}`,
  'a rare ref': (n) => `ref=old&per_page=${20 + n}`,
  sha: (n) => `sha=f000${n + 21}`,
  'yaml_errors=true': (n) => `yaml_errors=true&per_page=${20 + n}`,
  'yaml_errors=false': (n) => `yaml_errors=false&per_page=${20 + n}`,
  'a common name': (n) => `name=Nightly%20${n}`,
  'a rare name': (n) => `name=Rare&per_page=${20 + n}`,
  'a busy user': (n) => `username=writer${n + 2}`,
  'a rare user': (n) => `username=writer0&per_page=${20 + n}`,
  updated_after: (n) => `updated_after=${ago((n + 5) * 60 * 60_000)}`,
  updated_before: (n) => `updated_before=${ago(day / 2 + n * 1000)}`,
  created_after: (n) => `created_after=${ago((n + 5) * 60 * 60_000)}`,
  created_before: (n) => `created_before=${ago(day / 2 + n * 1000)}`,
};

const orders = ['id', 'status', 'ref', 'updated_at', 'user_id'];

/** Every list of jobs and pipelines with every filter and order, and artifacts of a job. */
export function requestsFor(numbers: Readonly<Record<string, Numbers>>): BenchRequest[] {
  const requests: BenchRequest[] = [];
  const of = (place: string) => numbers[place] as Numbers;
  const ask = (name: string, make: (place: string, n: number) => string) =>
    requests.push({ name, paths: (place, round) => [0, 1, 2].map((n) => make(place, round * 3 + n)) });
  const project = (place: string) => `/projects/${place}%2Fit`;
  const pipeline = (place: string, n: number) => {
    const { pipelines } = of(place);
    return `${project(place)}/pipelines/${pipelines[n % pipelines.length]}`;
  };
  for (const [name, query] of Object.entries({ ...jobFilters, ...stateFilters, ...refFilters })) {
    ask(`jobs of a project: ${name}`, (place, n) => `${project(place)}/jobs?${query(n)}`);
  }
  for (const [name, query] of Object.entries(jobFilters)) {
    ask(`jobs of a runner: ${name}`, (place, n) => `/runners/${of(place).runner}/jobs?${query(n)}`);
  }
  for (const status of ['success', 'running', 'failed', 'canceling']) {
    ask(
      `jobs of a runner: status=${status}`,
      (place, n) => `/runners/${of(place).runner}/jobs?status=${status}&per_page=${20 + n}`,
    );
  }
  for (const [system, name] of [
    ['s_000000000001', 'a machine that ran few'],
    ['s_000000000002', 'a machine that ran most'],
    ['s_00000000000f', 'no machine'],
  ]) {
    const by = (place: string, n: number) => `/runners/${of(place).runner}/jobs?system_id=${system}&per_page=${20 + n}`;
    ask(`jobs of a runner: ${name}`, by);
    ask(`jobs of a runner: ${name}, running ones`, (place, n) => `${by(place, n)}&status=running`);
  }
  for (const [name, query] of Object.entries(stateFilters)) {
    ask(`jobs of a pipeline: ${name}`, (place, n) => `${pipeline(place, n)}/jobs?${query(n)}`);
  }
  ask('jobs of a pipeline', (place, n) => `${pipeline(place, n)}/jobs`);
  ask('jobs of a pipeline, retried ones too', (place, n) => `${pipeline(place, n)}/jobs?include_retried=true`);
  ask('bridges of a pipeline', (place, n) => `${pipeline(place, n)}/bridges`);
  ask('a pipeline', (place, n) => pipeline(place, n));
  ask('the newest pipeline', (place, n) => `${project(place)}/pipelines/latest?unused=${n}`);
  for (const order of orders) {
    for (const sort of ['desc', 'asc']) {
      const by = order === 'id' && sort === 'desc' ? '' : ` by ${order} ${sort}`;
      for (const [name, query] of Object.entries(pipelineFilters)) {
        const path = (place: string, n: number) =>
          `${project(place)}/pipelines?order_by=${order}&sort=${sort}&${query(n)}`;
        ask(`pipelines${by}: ${name}`, path);
      }
    }
  }
  const files = (place: string) => `${project(place)}/jobs/${of(place).job}/artifacts`;
  ask('a job', (place, n) => `${project(place)}/jobs/${of(place).job}?unused=${n}`);
  ask('files of a job', (place, n) => `${files(place)}/tree?per_page=${20 + n}`);
  ask('all files of a job', (place, n) => `${files(place)}/tree?recursive=true&per_page=${20 + n}`);
  ask('a file of a ref', (place, n) => `${project(place)}/jobs/artifacts/shelf/raw/a/${n}.txt?job=made`);
  return requests;
}
