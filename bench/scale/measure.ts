import { readdirSync, readFileSync } from 'node:fs';

/** Options of all measurements that compare a small with a large place. */
export const flatnessOptions = {
  small: { type: 'string', default: '10000' },
  postgres: { type: 'boolean', default: false },
  /** Part of the names of the requests to measure. */
  only: { type: 'string', default: '' },
  /** Only higher ratios are printed. */
  above: { type: 'string', default: '0' },
  /** A data directory to keep and reuse. */
  data: { type: 'string' },
  /** A running PostgreSQL to keep together with that directory. */
  url: { type: 'string' },
} as const;

/** A request that is sent to a small and a large place. */
export interface BenchRequest {
  readonly name: string;
  /** Different URLs of one kind, requested once per round each, so that responses are not cached. */
  readonly paths: (at: string, round: number) => readonly string[];
}

export interface Flatness {
  readonly name: string;
  /** Milliseconds: median of the URLs, each the best of several attempts. */
  readonly small: number;
  readonly large: number;
}

const rounds = 5;

/** Other load on the machine only ever adds time, so the minimum of several attempts is the cost of the request. */
const tries = 3;

/** Processor time of a process including all threads, in milliseconds. */
function processorTime(pid: number): number {
  const tasks = `/proc/${pid}/task`;
  const used = readdirSync(tasks).map((task) =>
    Number(readFileSync(`${tasks}/${task}/schedstat`, 'utf8').split(' ')[0]),
  );
  return used.reduce((sum, nanoseconds) => sum + nanoseconds, 0) / 1e6;
}

async function timeOf(path: string, api: string, token: string, pid?: number): Promise<number> {
  const clock = () => (pid === undefined ? performance.now() : processorTime(pid));
  const from = clock();
  const response = await fetch(`${api}${path}`, { headers: { 'private-token': token } });
  await response.arrayBuffer();
  if (!response.ok) throw new Error(`${path}: ${response.status}`);
  return clock() - from;
}

function median(times: readonly number[]): number {
  return [...times].sort((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0;
}

/** Measures both places alternately, so that other load on the machine affects both alike. */
export async function measureFlatness(
  api: string,
  token: string,
  places: { readonly small: string; readonly large: string },
  questions: readonly BenchRequest[],
  /** The process whose processor time is measured instead of the wall clock time, for a machine with other load. */
  pid?: number,
): Promise<Flatness[]> {
  const rows: Flatness[] = [];
  for (const { name, paths } of questions) {
    const times: Record<'small' | 'large', number[]> = { small: [], large: [] };
    for (let round = 0; round <= rounds; round += 1) {
      const requestPaths = { small: paths(places.small, round), large: paths(places.large, round) };
      for (const index of requestPaths.small.keys()) {
        const least = { small: Number.POSITIVE_INFINITY, large: Number.POSITIVE_INFINITY };
        for (let tried = 0; tried < tries; tried += 1) {
          for (const size of ['small', 'large'] as const) {
            const taken = await timeOf(requestPaths[size][index] ?? '', api, token, pid);
            least[size] = Math.min(least[size], taken);
          }
        }
        // The first round is a warm-up.
        if (round > 0) for (const size of ['small', 'large'] as const) times[size].push(least[size]);
      }
    }
    rows.push({ name, small: median(times.small), large: median(times.large) });
  }
  return rows;
}

/** A request, with its path in the small and in the large place. */
interface CostQuestion {
  readonly name: string;
  readonly path: Readonly<Record<'small' | 'large', string>>;
}

/** A server in this process, and the processor time it and its database have used. */
export interface Costly {
  ask(path: string, token: string): Promise<void>;
  usedMs(): number;
}

const batches = 4;
const leastPerBatch = 4;
const maxPerBatch = 30;
const leastUsedMs = 25;

/** Processor milliseconds per request: the minimum of several batches, alternating between both places. */
async function* measureCost(
  token: string,
  places: { readonly small: Costly; readonly large: Costly },
  questions: readonly CostQuestion[],
): AsyncGenerator<Flatness> {
  for (const { name, path } of questions) {
    const least = { small: Number.POSITIVE_INFINITY, large: Number.POSITIVE_INFINITY };
    const batch: Record<'small' | 'large', number> = { small: 0, large: 0 };
    for (let round = 0; round <= batches; round += 1) {
      for (const size of ['small', 'large'] as const) {
        const { ask, usedMs } = places[size];
        const from = usedMs();
        let requestCount = 0;
        // The first round is a warm-up and determines the batch size.
        const enough = () =>
          requestCount >= leastPerBatch && (requestCount >= maxPerBatch || usedMs() - from >= leastUsedMs);
        while (round === 0 ? !enough() : requestCount < batch[size]) {
          await ask(path[size], token);
          requestCount += 1;
        }
        if (round === 0) batch[size] = requestCount;
        else least[size] = Math.min(least[size], (usedMs() - from) / requestCount);
      }
    }
    yield { name, ...least };
  }
}

/** Formats the results as a Markdown table. */
export function flatnessTable(rows: readonly Flatness[]): string {
  const lines = rows.map(
    ({ name, small, large }) =>
      `| ${name} | ${small.toFixed(1)} | ${large.toFixed(1)} | ${(large / small).toFixed(1)} |`,
  );
  return ['| request | small, ms | large, ms | ratio |', '|---|---|---|---|', ...lines].join('\n');
}

/**
 * Measures the processor time of requests, prints those whose ratio reaches `above` while it goes, and then how many are
 * flat.
 */
export async function printFlatness(
  token: string,
  places: { readonly small: Costly; readonly large: Costly },
  questions: readonly CostQuestion[],
  above: string,
): Promise<void> {
  console.log(flatnessTable([]));
  let within = 0;
  for await (const row of measureCost(token, places, questions)) {
    if (row.large <= 2 * row.small) within += 1;
    if (row.large / row.small >= Number(above)) console.log(flatnessTable([row]).split('\n').at(-1));
  }
  console.log(`\n${within} of ${questions.length} are within twice the time`);
}
